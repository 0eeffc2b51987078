#include "api/guess.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "attack/attackers.h"
#include "attack/language_model.h"
#include "measure/law_rows.h"
#include "sotto/error.h"
#include "sotto/prior.h"
#include "text/lookup.h"
#include "text/words.h"

namespace sotto::api {

namespace {

// Columns that are held at a time: 50 MB for 50,000 words.
constexpr std::size_t kGuessedAtOnce = 256;

// The likeliest word of each token.
class Likeliest final : public PosteriorSink {
 public:
  explicit Likeliest(std::size_t tokens) : best_(tokens) {}
  void believe(std::size_t token, std::span<const float> posterior) override {
    const auto most = std::ranges::max_element(posterior);
    best_[token] = {.word = word_id(static_cast<std::size_t>(most - posterior.begin())),
                    .probability = double{*most}};
  }
  void believe_some(std::size_t /*token*/, std::span<const Belief> /*beliefs*/,
                    double /*bigram_rest*/) override {}
  void guess(std::size_t /*token*/, const Guess& /*guess*/) override {}

  [[nodiscard]] const std::vector<Belief>& best() const noexcept { return best_; }

 private:
  std::vector<Belief> best_;
};

// The output of a mechanism that writes one text for every word.
WordId only_output(const Mechanism& mechanism) {
  const std::vector<double> law = mechanism.words->log_law(word_id(0)).value();
  return word_id(static_cast<std::size_t>(std::ranges::max_element(law) - law.begin()));
}

}  // namespace

Guesser::Guesser(Mechanism mechanism, const Work& work) : mechanism_(std::move(mechanism)) {
  if (mechanism_.words == nullptr) {
    throw Error(ErrorCode::usage, "this mechanism releases vectors; guesses are about words");
  }
  if (!has_closed_law(mechanism_)) {
    throw Error(
        ErrorCode::usage,
        fmt::format(
            "the law of {} has no closed form, so its posterior cannot be computed; `sotto attack` and "
            "`sotto measure` estimate by draws",
            mechanism_.info->name));
  }
  const Prior prior = resolve({}, mechanism_.space->shared_model()).prior;
  prior_ = summary_of(prior);
  weights_.assign(prior.weights.begin(), prior.weights.end());
  channel_ = Channel::make(mechanism_, {}, work);
}

std::vector<Guesser::Written> Guesser::read(std::string_view released) const {
  std::vector<Written> out;
  if (!mechanism_.token.empty()) {
    const WordId only = only_output(mechanism_);
    const std::string_view token = mechanism_.token;
    for (std::size_t at = released.find(token); at != std::string_view::npos;
         at = released.find(token, at + token.size())) {
      out.push_back({.text = std::string(token), .output = only});
    }
    return out;
  }
  const Lookup lookup(mechanism_.space->shared_model());
  std::vector<Token> tokens;
  WordBreaker().split(released, tokens);
  for (const Token& token : tokens) {
    const std::string_view text = released.substr(token.begin, token.end - token.begin);
    out.push_back({.text = std::string(text), .output = lookup.find(text)});
  }
  return out;
}

void Guesser::learn(const std::vector<WordId>& outputs, const Work& work) {
  // The attacker `context-free` of attack(), who needs no more of a language model than this.
  const LanguageModel lm{.size = weights_.size(), .unigram = weights_};
  const AttackKnowledge knowledge{
      .lm = &lm, .channel = channel_.get(), .space = mechanism_.space.get(), .threads = work.threads};
  const AttackerInfo* const attacker = &find_attacker("context-free");
  for (std::size_t first = 0; first < outputs.size(); first += kGuessedAtOnce) {
    const auto begin = outputs.begin() + static_cast<std::ptrdiff_t>(first);
    TokenText text{.words = {begin, begin + static_cast<std::ptrdiff_t>(
                                                std::min(kGuessedAtOnce, outputs.size() - first))}};
    text.ends = {text.words.size()};
    Likeliest likeliest(text.words.size());
    PosteriorSink* const sink = &likeliest;
    run_attackers(knowledge, ReleaseView(text), std::span(&attacker, 1), std::span(&sink, 1),
                  {.threads = work.threads});
    for (std::size_t i = 0; i < text.words.size(); ++i) {
      const Belief& best = likeliest.best()[i];
      known_[static_cast<std::uint32_t>(text.words[i])] = {.word = best.word,
                                                           .posterior = static_cast<float>(best.probability)};
    }
    if (work.progress) {
      work.progress({.done = first + text.words.size(), .total = outputs.size(), .unit = "outputs"});
    }
  }
}

GuessAnswer Guesser::guess(const GuessRequest& request, const Work& work) {
  const std::vector<Written> words = read(request.released);
  std::set<WordId> outputs;
  for (const Written& own : words) {
    if (own.output) outputs.insert(*own.output);
  }
  if (request.most_outputs > 0 && outputs.size() > request.most_outputs) {
    throw Error(ErrorCode::usage, fmt::format("the release has {} different words; guesses are made for up "
                                              "to {}: give a part of it",
                                              outputs.size(), request.most_outputs));
  }
  GuessAnswer answer{.mechanism = mechanism_, .prior = prior_};
  const std::scoped_lock lock(mutex_);
  std::vector<WordId> missing;
  for (const WordId output : outputs) {
    if (!known_.contains(static_cast<std::uint32_t>(output))) missing.push_back(output);
  }
  learn(missing, work);
  for (const Written& own : words) {
    Guess guess{.output = own.text};
    if (own.output) {
      const Known& known = known_.at(static_cast<std::uint32_t>(*own.output));
      guess.word = known.word;
      guess.posterior = double{known.posterior};
    }
    answer.guesses.push_back(std::move(guess));
  }
  return answer;
}

GuessAnswer guess(const GuessRequest& request, const Work& work) {
  return guess(build_mechanism(request.setting, request.model, work.at("calibrating")), request, work);
}

GuessAnswer guess(const CertifiedMechanism& built, const GuessRequest& request, const Work& work) {
  return Guesser(built.mechanism, work.at("guessing")).guess(request, work);
}

Json to_json(const GuessAnswer& answer) {
  const Mechanism& mechanism = answer.mechanism;
  Json json = start_answer("sotto.guess/1");
  json["mechanism"] = mechanism.info->name;
  json["parameters"] = mechanism.parameters.texts();
  json["model"] = model_json(mechanism.space->model());
  json["prior"] = to_json(answer.prior);
  json["guesses"] = Json::array();
  for (const Guess& guess : answer.guesses) {
    json["guesses"].push_back(
        {{"output", guess.output},
         {"guess", guess.word ? Json(mechanism.space->model().word(*guess.word)) : Json(nullptr)},
         {"posterior", guess.word ? Json(guess.posterior) : Json(nullptr)}});
  }
  return json;
}

}  // namespace sotto::api
