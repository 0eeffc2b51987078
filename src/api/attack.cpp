#include "api/attack.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "api/attack_bounds.h"
#include "api/language.h"
#include "attack/lm_file.h"
#include "attack/program_model.h"
#include "sotto/adversary.h"
#include "sotto/error.h"
#include "sotto/prior.h"

namespace sotto::api {
namespace {

[[noreturn]] void refuse_sample(const std::string& message) {
  throw Error(ErrorCode::bad_data, message);
}

TokenSample tokenised(const std::vector<std::string>& documents, Tokeniser& tokeniser) {
  TokenSample out;
  for (const std::string& document : documents) tokeniser.add(document, out);
  return out;
}

// The outputs of a release that exists already. Every word of it must be an output: a word of the model.
TokenText tokenised_release(const std::vector<std::string>& documents, const TokenSample& sample,
                            Tokeniser& tokeniser) {
  if (documents.size() != sample.text.documents()) {
    refuse_sample(
        fmt::format("the release has {} documents and the sample {}: give the release of this sample, whole "
                    "and in the same order, read with the same options",
                    documents.size(), sample.text.documents()));
  }
  TokenSample release = tokenised(documents, tokeniser);
  for (std::size_t d = 0; d < documents.size(); ++d) {
    const std::size_t own = release.text.document(d).size();
    const std::size_t wanted = sample.text.document(d).size();
    if (own == wanted) continue;
    refuse_sample(
        fmt::format("document {} has {} tokens in the release and {} in the sample: give the release of this "
                    "sample, and `strip-html` if it was privatised with it",
                    d + 1, own, wanted));
  }
  if (release.unknown > 0) {
    refuse_sample(fmt::format(
        "{} tokens of the release are no words of the model: give the model that the release was "
        "made with; a release with `unknown` mask, drop or keep shows such words without an attack",
        release.unknown));
  }
  return std::move(release.text);
}

double processor_seconds(std::clock_t since) {
  return static_cast<double>(std::clock() - since) / CLOCKS_PER_SEC;
}

constexpr std::string_view kCommand = "command:";

// How often words occur, by the model's order of frequency: what is known besides a program's answers.
std::shared_ptr<const LanguageModelFile> rank_only(const Model& model, WordId anchor) {
  const Prior prior = frequency_rank_prior(model);
  LanguageModelParts parts{.identity = model.identity(), .anchor = anchor};
  parts.unigram.assign(prior.weights.begin(), prior.weights.end());
  parts.base = parts.unigram;
  parts.lambda.assign(model.size() + 1, 1.0F);
  return LanguageModelFile::make(parts);
}

// Attackers know a language model in the words of the mechanism's model.
std::shared_ptr<const LanguageModelFile> open_prior(const AttackRequest& request, const Model& model,
                                                    WordId anchor) {
  if (request.prior.starts_with(kCommand)) return rank_only(model, anchor);
  auto file = request.prior.empty() ? default_language_model(model) : LanguageModelFile::open(request.prior);
  require_same_words(file->model(), model.identity());
  if (file->model().anchor != anchor) {
    refuse_sample(
        "the language model counts unknown words as another word than this attack: give the same "
        "`unknown-word` to both");
  }
  return file;
}

std::optional<LabelQuestion> labels_of(const AttackRequest& request,
                                       const std::shared_ptr<const Model>& model) {
  if (request.labels.empty()) {
    if (!request.lexicon.empty()) {
      throw Error(ErrorCode::usage,
                  "`labels` needs `label-column`: the column that holds the label of each document");
    }
    return std::nullopt;
  }
  std::optional<Labels> lexicon;
  if (!request.lexicon.empty()) lexicon = resolve({.labels = request.lexicon}, model).labels;
  return label_question(request.labels, request.sample.size(), std::move(lexicon));
}

std::vector<AttackedSentence> sentences_of(const AttackRequest& request, const Model& model,
                                           const TokenText& outputs, const AttackOutcome& best) {
  std::vector<AttackedSentence> out;
  for (std::size_t d = 0; d < outputs.documents(); ++d) {
    AttackedSentence own{.original = request.sample[d], .released = {}, .guessed = {}};
    for (std::size_t i = outputs.begin_of(d); i < outputs.ends[d]; ++i) {
      const std::string_view space = i == outputs.begin_of(d) ? "" : " ";
      own.released += fmt::format("{}{}", space, model.word(outputs.words[i]));
      own.guessed += fmt::format("{}{}", space, model.word(best.guesses[i]));
    }
    out.push_back(std::move(own));
  }
  return out;
}

}  // namespace

const AttackerAnswer& AttackAnswer::best() const {
  return *std::ranges::min_element(
      attackers, {}, [](const AttackerAnswer& own) { return own.score.error ? own.score.error->value : 1; });
}

AttackAnswer attack(const AttackRequest& request, const Work& work) {
  return attack(build_mechanism(request.setting, request.model, work.at("calibrating")), request, work);
}

AttackAnswer attack(CertifiedMechanism built, const AttackRequest& request, const Work& work) {
  const std::clock_t started = std::clock();
  const Work quiet{.threads = work.threads};
  if (built.mechanism.words == nullptr) {
    throw Error(ErrorCode::usage, "this mechanism releases vectors; an attack on sentences needs words");
  }
  const std::shared_ptr<const Model> model = built.mechanism.space->shared_model();
  Tokeniser tokeniser(model, request.unknown_word,
                      request.strip_html ? Tokeniser::Html::strip : Tokeniser::Html::keep);
  const auto prior = open_prior(request, *model, tokeniser.anchor());
  const LanguageModel& lm = prior->model();
  const TokenSample sample = tokenised(request.sample, tokeniser);
  if (sample.text.words.empty()) {
    refuse_sample(
        "the sample has no words to attack: give a text with words, and the column or field that holds it");
  }
  const std::optional<LabelQuestion> labels = labels_of(request, model);
  const RandomSource random = RandomSource::fresh_or_seeded_not_private(request.seed_not_private);
  const TokenText outputs = request.released
                                ? tokenised_release(*request.released, sample, tokeniser)
                                : released(built.mechanism, sample.text, random, 0, work.threads);
  add_certificate(built, work.at("certifying"));
  work.at("measuring the channel");
  const ComparedChannels compared = compared_channels(
      built.mechanism,
      {.draws = request.draws, .prior = lm.unigram, .seed_not_private = request.seed_not_private}, quiet);
  const Channel& channel = compared.own();
  const BigramChain chain(lm);
  const AllPairs pairs(built.mechanism.space);
  std::optional<ProgramModel> program;
  if (request.prior.starts_with(kCommand)) program.emplace(request.prior.substr(kCommand.size()));
  AttackRoom room;
  AttackKnowledge knowledge{.lm = &lm,
                            .channel = &channel,
                            .space = built.mechanism.space.get(),
                            .pairs = &pairs,
                            .chain = &chain,
                            .program = program ? &*program : nullptr,
                            .room = &room,
                            .threads = work.threads};
  const std::clock_t fit_started = std::clock();
  knowledge.weights = fitted_weights(knowledge, built.mechanism, random, work.at("fitting"));
  const double fit_seconds = processor_seconds(fit_started);
  const std::vector<AttackOutcome> outcomes = attack_text(
      knowledge, {.sample = &sample, .outputs = &outputs, .anchor = lm.anchor}, work.at("attacking"));

  AttackAnswer answer{.built = std::move(built),
                      .documents = sample.text.documents(),
                      .tokens = sample.text.words.size(),
                      .unknown_tokens = sample.unknown,
                      .order = program ? 0 : lm.order,
                      .default_prior = request.prior.empty(),
                      .channel_draws = channel.draws(),
                      .was_released = request.released.has_value(),
                      .seeded = request.seed_not_private.has_value(),
                      .fit_seconds = fit_seconds};
  for (const AttackOutcome& own : outcomes) {
    answer.attackers.push_back({.attacker = own.attacker, .score = own.score});
  }
  work.at("comparing");
  add_equivalent_epsilons(answer, compared,
                          {.lm = &lm, .text = &sample.text, .random = &random, .room = &room}, quiet);
  answer.pair_bounds = pair_bounds(answer.built, work.threads);
  const auto best = static_cast<std::size_t>(&answer.best() - answer.attackers.data());
  if (labels) {
    const TokenText guessed{.words = outcomes[best].guesses, .ends = sample.text.ends};
    answer.labels = attack_labels(*labels, {.clean = &sample.text, .released = &outputs, .guessed = &guessed},
                                  model->size(), work.at("guessing labels").threads);
  }
  if (request.keep_sentences) {
    answer.sentences = sentences_of(request, *model, outputs, outcomes[best]);
  }
  answer.attack_seconds = processor_seconds(started) - fit_seconds;
  return answer;
}

}  // namespace sotto::api
