#include "api/extend_disclosure.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sotto/certificate.h"
#include "sotto/error.h"
#include "sotto/measure.h"
#include "sotto/measurement.h"
#include "sotto/parameters.h"

namespace sotto::api {
namespace {

struct Pair {
  Mechanism before;
  Mechanism after;
};

Quantity measured(const Mechanism& mechanism, const Prior& prior, const std::optional<Labels>& labels,
                  std::string_view name, const Work& work) {
  const MeasureQuestion question{.prior = prior,
                                 .labels = labels,
                                 .copies = 0,
                                 .extent = MeasureQuestion::Extent::headline,
                                 .seed_not_private = 1};  // of draws of public words
  const Measurement found = measure(mechanism, question, work);
  const Quantity* quantity = found.overall().find(name);
  if (quantity == nullptr) throw Error(ErrorCode::internal, "a measurement lacks a quantity");
  return *quantity;
}

bool is_shown(double score) {
  return std::abs(score) >= kShownScore;
}

Disclosure::Property property_of(const Pair& pair, std::span<const double> scores, const Work& work) {
  const Model& model = pair.before.space->model();
  Labels labels{.names = {"down", "up"}, .of = std::vector<std::int32_t>(scores.size(), Labels::kNone)};
  WordList shown;
  std::size_t up = 0;
  for (std::size_t w = 0; w < scores.size(); ++w) {
    if (!is_shown(scores[w])) continue;
    shown.words.push_back(word_id(w));
    labels.of[w] = scores[w] > 0 ? 1 : 0;
    up += scores[w] > 0 ? 1 : 0;
  }
  labels.labelled = shown.words.size();
  Disclosure::Property out{.words = shown.words.size()};
  if (up == 0 || up == out.words) return out;
  const Prior prior = restricted(frequency_rank_prior(model), shown);
  double share = 0;
  for (const WordId word : shown.words)
    share += labels.of[index_of(word)] == 1 ? prior.weights[index_of(word)] : 0;
  out.errors =
      Disclosure::Property::Errors{.before = measured(pair.before, prior, labels, "e_opt_label", work),
                                   .after = measured(pair.after, prior, labels, "e_opt_label", work),
                                   .without_output = std::min(share, 1 - share)};
  return out;
}

}  // namespace

Disclosure disclosure_of(const DisclosureQuestion& question, const Work& work) {
  const ParameterTexts texts = {{"epsilon", number_text(question.epsilon)}};
  const Work& measuring = work.at("measuring what is given away");
  const auto built = [&](const std::shared_ptr<const Model>& model) {
    return build_mechanism("tem", model, texts, work).mechanism;
  };
  const Pair pair{.before = built(question.before), .after = built(question.after)};
  Disclosure out{.epsilon = question.epsilon};
  for (const std::vector<double>& scores : question.scores) {
    out.properties.push_back(property_of(pair, scores, measuring));
  }
  WordList others;
  for (std::size_t w = 0; w < question.before->size(); ++w) {
    const auto shows = [&](const std::vector<double>& scores) { return is_shown(scores[w]); };
    if (std::ranges::none_of(question.scores, shows)) others.words.push_back(word_id(w));
  }
  if (others.words.size() < 2) return out;
  const Prior prior = restricted(frequency_rank_prior(*question.before), others);
  out.others = Disclosure::Others{.words = others.words.size(),
                                  .before = measured(pair.before, prior, {}, "e_opt", measuring),
                                  .after = measured(pair.after, prior, {}, "e_opt", measuring)};
  return out;
}

Json to_json(const Disclosure& disclosure) {
  Json out = {{"mechanism", "tem"},
              {"epsilon", disclosure.epsilon},
              {"shown_score", kShownScore},
              {"properties", Json::array()}};
  for (const Disclosure::Property& one : disclosure.properties) {
    Json property = {{"words", one.words}};
    if (one.errors) {
      property["e_opt_label_before"] = to_json(one.errors->before);
      property["e_opt_label_after"] = to_json(one.errors->after);
      property["constant_guess_label"] = one.errors->without_output;
    }
    out["properties"].push_back(std::move(property));
  }
  if (disclosure.others) {
    out["other_words"] = {{"words", disclosure.others->words},
                          {"e_opt_before", to_json(disclosure.others->before)},
                          {"e_opt_after", to_json(disclosure.others->after)}};
  }
  return out;
}

}  // namespace sotto::api
