#include <cmath>
#include <nlohmann/json.hpp>

#include "sotto/certify.h"

namespace sotto::api {

namespace {

std::string_view word_of(const CertifyAnswer& answer, WordId id) {
  return answer.model->word(id);
}

Json pair_json(const CertifyAnswer& answer, const PairLoss& pair) {
  return {{"first", word_of(answer, pair.first)},
          {"second", word_of(answer, pair.second)},
          {"distance", pair.distance},
          {"loss", finite_or_null(pair.loss)},
          {"epsilon", finite_or_null(pair.epsilon)}};
}

Json pairs_json(const CertifyAnswer& answer, const std::vector<PairLoss>& pairs) {
  Json out = Json::array();
  for (const PairLoss& pair : pairs) out.push_back(pair_json(answer, pair));
  return out;
}

std::string_view kept_name(Verification::Kept kept) {
  switch (kept) {
    case Verification::Kept::used:
      return "used";
    case Verification::Kept::refused:
      return "refused";
    case Verification::Kept::none:
      break;
  }
  return "none";
}

Json sampled_json(const CertifyAnswer& answer, const SampledBound& sampled) {
  Json json = {{"epsilon", finite_or_null(sampled.epsilon)},
               {"first", word_of(answer, sampled.pair.first)},
               {"second", word_of(answer, sampled.pair.second)},
               {"pairs", sampled.pairs},
               {"basis", sampled.draws > 0 ? "draws" : "the exact law of these pairs"}};
  if (sampled.draws > 0) {
    json["draws"] = sampled.draws;
    json["level"] = sampled.level;
  }
  return json;
}

// What a null means.
Json notes_of(const CertifyAnswer& answer) {
  Json notes = Json::array();
  const auto certified = answer.certified_epsilon();
  if (answer.mechanism.space->has_one_row()) {
    notes.push_back("all words have the same law: all distances are 0, and there is no worst pair");
  }
  if (!certified)
    notes.push_back("certified_epsilon: nothing is proved, and this model is too large to compute it");
  if (certified && std::isinf(*certified)) {
    notes.push_back("certified_epsilon: infinite, an output of one word is impossible for another");
  }
  if (std::isinf(answer.mechanism.claim.epsilon))
    notes.push_back("nominal_epsilon: infinite, none is claimed");
  if (answer.gamma() && std::isinf(*answer.gamma())) notes.push_back("gamma: infinite, nothing is cut off");
  if (answer.estimated_unchanged) notes.push_back("mean_unchanged: estimated from draws");
  if (!answer.certificate && !answer.extremes)
    notes.push_back("smallest_distance, largest_distance: not computed");
  return notes;
}

Json verification_json(const Verification& check) {
  return {{"kept_certificate", kept_name(check.kept)},
          {"kept_epsilon", finite_or_null(check.kept_epsilon)},
          {"recomputed_epsilon", finite_or_null(check.epsilon)},
          {"recomputed_largest_word_loss", finite_or_null(check.largest_loss)},
          {"agrees", check.agrees()}};
}

void add_stretch(Json& json, const CertifyAnswer& answer) {
  json["sensitivity"] = finite_or_null(answer.sensitivity());
  json["spectral_stretch"] = answer.stretch->spectral;
  json["vocabulary_stretch"] = answer.stretch->vocabulary;
  json["facts"] = Json::object();
  for (const auto& [name, value] : answer.mechanism.facts) json["facts"][name] = value;
}

void add_distances(Json& json, const CertifyAnswer& answer) {
  json["smallest_distance"] = finite_or_null(answer.smallest_distance());
  json["largest_distance"] = finite_or_null(answer.largest_distance());
  const auto nearest = answer.median_nearest();
  json["median_nearest_distance"] = finite_or_null(nearest);
  json["epsilon_times_median_nearest_distance"] =
      nearest ? finite_or_null(*nearest * answer.mechanism.claim.epsilon) : Json(nullptr);
  json["mean_unchanged"] = finite_or_null(answer.mean_unchanged());
}

void add_sources(Json& json, const CertifyAnswer& answer) {
  const auto& certificate = answer.certificate;
  json["source"] = !certificate                                 ? Json(nullptr)
                   : answer.source == CertificateSource::cached ? "kept and checked"
                                                                : "computed";
  json["sampled_lower_bound"] = answer.sampled ? sampled_json(answer, *answer.sampled) : Json(nullptr);
  if (answer.verification) json["verification"] = verification_json(*answer.verification);
  if (certificate) {
    json["worst_pairs"] = pairs_json(answer, certificate->worst_pairs);
    json["distance_bands"] = pairs_json(answer, certificate->bands);
  }
  if (Json notes = notes_of(answer); !notes.empty()) json["notes"] = std::move(notes);
}

}  // namespace

Json to_json(const CertifyAnswer& answer) {
  const Mechanism& mechanism = answer.mechanism;
  const Parameters& parameters = mechanism.parameters;
  Json json = start_answer("sotto.certificate-answer/1");
  json["mechanism"] = mechanism.info->name;
  json["parameters"] = parameters.texts();
  json["calibration"] = parameters.has("calibration") ? Json(parameters.text("calibration")) : Json(nullptr);
  json["metric"] = metric_name(answer.is_of_vectors() ? Metric::euclidean : mechanism.space->metric());
  json["model"] = model_json(*answer.model);
  json["n"] = answer.model->size();
  if (!answer.is_of_vectors()) json["merged_words"] = mechanism.space->merged_words();
  json["nominal_epsilon"] = finite_or_null(mechanism.claim.epsilon);
  json["certified_epsilon"] = finite_or_null(answer.certified_epsilon());
  json["additive_loss"] = finite_or_null(answer.additive_loss());
  json["kind"] = answer.kind();
  json["holds"] = answer.holds();
  json["verdict"] = answer.verdict();
  json["slope"] = finite_or_null(answer.slope());
  json["gamma"] = finite_or_null(answer.gamma());
  json["largest_word_loss"] = finite_or_null(answer.largest_word_loss());
  const bool has_pair = answer.certificate && !answer.certificate->worst_pairs.empty();
  json["worst_pair"] = has_pair ? pair_json(answer, answer.certificate->worst_pairs.front()) : Json(nullptr);
  answer.is_of_vectors() ? add_stretch(json, answer) : add_distances(json, answer);
  json["guarantee"] = mechanism.claim.guarantee;
  json["status"] = status_name(mechanism.claim.status);
  const auto& expected = answer.expected;
  json["strength"] = expected ? Json(strength_name(*answer.strength())) : Json(nullptr);
  json["expected_unchanged"] =
      expected ? Json{{"share", expected->unchanged}, {"margin95", expected->unchanged_margin}}
               : Json(nullptr);
  json["caveat"] = mechanism.claim.caveat.empty() ? Json(nullptr) : Json(mechanism.claim.caveat);
  if (!answer.is_of_vectors()) add_sources(json, answer);
  return json;
}

}  // namespace sotto::api
