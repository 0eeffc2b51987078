#include "sotto/explain.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>

#include "api/explain_map.h"
#include "api/explain_odds.h"
#include "core/binomial.h"
#include "core/parallel.h"
#include "mechanisms/build.h"
#include "sotto/error.h"
#include "sotto/rng.h"
#include "text/lookup.h"
#include "text/words.h"

namespace sotto::api {

namespace {

// An answer that knows its word.
ExplainAnswer find_word(const ExplainRequest& request) {
  ExplainAnswer answer{.asked = request.word};
  std::vector<Token> tokens;
  WordBreaker().split(request.word, tokens);
  if (tokens.size() != 1) {
    throw Error(
        ErrorCode::usage,
        "explain takes exactly one word (white space and punctuation are not words); the words of a text "
        "are drawn independently, so explain them one by one");
  }
  const Lookup lookup(request.model);
  std::optional<WordId> found = lookup.find(request.word);
  answer.is_unknown = !found;
  if (!found) {
    found = request.unknown_word.empty() ? default_anchor(*request.model) : lookup.find(request.unknown_word);
  }
  if (!found) throw Error(ErrorCode::usage, "`unknown-word` must be a word of the model");
  answer.word = *found;
  return answer;
}

// A draw without a closed form costs about words * dimension operations.
std::size_t draws_of_one_word(const Model& model) {
  constexpr double kOperations = 1e10;
  const double row = static_cast<double>(model.size()) * static_cast<double>(model.dim());
  return static_cast<std::size_t>(std::clamp(kOperations / row, 1'000.0, 100'000.0));
}

std::vector<std::size_t> count_outputs(const ExplainAnswer& answer, unsigned threads) {
  constexpr std::size_t kBlock = 64;
  std::vector<std::atomic<std::size_t>> hits(answer.mechanism.space->size());
  const RandomSource random = RandomSource::fresh();
  parallel_blocks(answer.draws, kBlock, threads, [&](std::size_t begin, std::size_t end) {
    Rng rng = random.stream(begin / kBlock);
    const std::vector<WordId> in(end - begin, answer.word);
    std::vector<WordId> out(in.size());
    answer.mechanism.words->sample_batch(in, out, rng);
    for (const WordId id : out) ++hits[index_of(id)];
  });
  return {hits.begin(), hits.end()};
}

// Of every word: exact if the mechanism knows its law, else from draws.
void add_outputs(ExplainAnswer& answer, std::size_t draws, unsigned threads) {
  answer.outputs.resize(answer.mechanism.space->size());
  for (std::size_t i = 0; i < answer.outputs.size(); ++i) answer.outputs[i].word = word_id(i);
  if (const auto exact = answer.mechanism.words->log_law(answer.word)) {
    for (ExplainedOutput& output : answer.outputs) {
      output.p = output.low = output.high = std::exp((*exact)[index_of(output.word)]);
    }
  } else {
    answer.draws = draws > 0 ? draws : draws_of_one_word(answer.model());
    const std::vector<std::size_t> hits = count_outputs(answer, threads);
    for (ExplainedOutput& output : answer.outputs) {
      const HitCount count{.hits = static_cast<double>(hits[index_of(output.word)]),
                           .draws = static_cast<double>(answer.draws)};
      const ProbabilityInterval interval = wilson_interval(count);
      output.p = count.hits / count.draws;
      output.low = interval.low;
      output.high = interval.high;
    }
  }
  std::ranges::stable_sort(answer.outputs, std::greater<>(), &ExplainedOutput::p);
}

void keep_top(std::vector<ExplainedOutput>& outputs, std::size_t top) {
  if (top == 0) return;
  if (top < outputs.size()) outputs.resize(top);
  // Words that no draw gave come in model order: no news.
  std::erase_if(outputs, [](const ExplainedOutput& output) { return output.p == 0; });
}

// A law that was found by its certificate stands beside the theorem's at the same epsilon.
void add_theorem(ExplainAnswer& answer) {
  if (!answer.mechanism.claim.by_certificate || answer.mechanism.info->law_request == nullptr) return;
  ParameterTexts texts = answer.mechanism.parameters.texts();
  texts.erase("calibration");
  const Mechanism theorem =
      build_uncertified(answer.mechanism.info->name, answer.mechanism.space->shared_model(), texts);
  const auto law = theorem.words->log_law(answer.word);
  if (!law) return;
  for (ExplainedOutput& output : answer.outputs) {
    output.by_theorem = std::exp((*law)[index_of(output.word)]);
  }
  const ExponentialLaw* exponential = theorem.words->exponential_law();
  answer.theorem_slope = exponential != nullptr ? exponential->slope : 0;
}

// The loss is null where there is no bound.
Json odds_json(const Model& model, const OddsTo& other) {
  return {
      {"word", model.word(other.word)}, {"distance", other.distance}, {"loss", finite_or_null(other.loss)}};
}

Json output_json(const ExplainAnswer& answer, const ExplainedOutput& output) {
  Json json = {{"word", answer.mechanism.text_of(output.word)}, {"p", output.p}};
  if (output.by_theorem) json["p_paper"] = *output.by_theorem;
  if (answer.is_estimated()) {
    json["low"] = output.low;
    json["high"] = output.high;
  }
  return json;
}

}  // namespace

ExplainAnswer explain(const ExplainRequest& request, const Work& work) {
  (void)find_word(request);  // a slip is told before a calibration
  return explain(build_mechanism(request.setting, request.model, work.at("calibrating")), request, work);
}

ExplainAnswer explain(CertifiedMechanism built, const ExplainRequest& request, const Work& work) {
  ExplainAnswer answer = find_word(request);
  answer.mechanism = std::move(built.mechanism);
  answer.certificate = std::move(built.certificate);
  add_outputs(answer, request.draws, work.threads);
  keep_top(answer.outputs, request.top);
  add_theorem(answer);
  answer.odds = odds_of(answer.mechanism, answer.word, answer.certificate);
  if (request.map > 0) answer.map = map_around(*answer.mechanism.space, answer.word, request.map);
  return answer;
}

std::optional<double> ExplainAnswer::slope() const {
  const ExponentialLaw* law = mechanism.words->exponential_law();
  return law != nullptr ? std::optional(law->slope) : std::nullopt;
}

std::size_t ExplainAnswer::others() const {
  return mechanism.token.empty() ? mechanism.space->size() - outputs.size() : 0;
}

double ExplainAnswer::share_of_others() const {
  double shown = 0;
  for (const ExplainedOutput& output : outputs) shown += output.p;
  return std::max(0.0, 1 - shown);
}

Json to_json(const ExplainAnswer& answer) {
  const Mechanism& mechanism = answer.mechanism;
  const auto& certificate = answer.certificate;
  Json json = start_answer("sotto.explain/1");
  json["word"] = answer.asked;
  json["explained_as"] = answer.model().word(answer.word);
  if (answer.is_unknown) json["unknown"] = true;
  json["mechanism"] = mechanism.info->name;
  json["parameters"] = mechanism.parameters.texts();
  json["metric"] = metric_name(mechanism.space->metric());
  json["model"] = model_json(answer.model());
  json["nominal_epsilon"] = finite_or_null(mechanism.claim.epsilon);
  json["certified_epsilon"] = certificate ? finite_or_null(certificate->realised_epsilon) : Json(nullptr);
  json["additive_loss"] = certificate ? finite_or_null(certificate->additive_loss) : Json(nullptr);
  if (const auto slope = answer.slope()) json["slope"] = *slope;
  if (answer.theorem_slope) json["slope_paper"] = *answer.theorem_slope;
  json["status"] = status_name(mechanism.claim.status);
  json["guarantee"] = mechanism.claim.guarantee;
  if (!mechanism.claim.caveat.empty()) json["caveat"] = mechanism.claim.caveat;
  if (const auto& odds = answer.odds) {
    json["loss_bound"] = {{"basis", basis_name(odds->basis)},
                          {"nearest", odds_json(answer.model(), odds->nearest)},
                          {"typical", odds_json(answer.model(), odds->typical)}};
  }
  json["meaning"] = odds_text(answer);
  if (answer.is_estimated()) {
    json["estimated"] = true;
    json["draws"] = answer.draws;
  }
  json["outputs"] = Json::array();
  for (const ExplainedOutput& output : answer.outputs) json["outputs"].push_back(output_json(answer, output));
  if (answer.map.empty()) return json;
  json["map"] = Json::array();
  for (const MapPoint& point : answer.map) {
    json["map"].push_back({{"word", answer.model().word(point.word)}, {"x", point.x}, {"y", point.y}});
  }
  return json;
}

}  // namespace sotto::api
