#include "text/vector_report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace sotto {

namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

// "grid step" as a key of JSON.
std::string key_of(std::string name) {
  std::ranges::replace(name, ' ', '_');
  return name;
}

Json leaks_of(const VectorReleaseFacts& facts) {
  Json leaks = Json::array();
  leaks.push_back("The number of vectors and their order are those of the input.");
  leaks.push_back("The type of the numbers (" + facts.number_type + ") and the dimensions are visible.");
  if (facts.words) leaks.push_back("Each line of the input gave one vector.");
  return leaks;
}

Json released_files(const VectorReleaseFacts& facts) {
  if (!facts.released) return nullptr;
  Json files = Json::array();
  for (const ReleasedFile& file : *facts.released) {
    files.push_back({{"name", file.name}, {"sha256", file.sha256}});
  }
  return files;
}

void add_strength(const VectorReleaseFacts& facts, Json& report) {
  if (!facts.expected) {
    report["strength"] = nullptr;
    report["strength_reason"] =
        "Not computed: the vectors are free, so there is no word that each of them could be taken for.";
    report["expected_unchanged"] = nullptr;
    return;
  }
  const Strength strength = strength_of(facts.expected->unchanged);
  report["strength"] = strength_name(strength);
  report["strength_reason"] = strength_sentence(strength, Released::vectors);
  report["expected_unchanged"] = {
      {"share", facts.expected->unchanged},
      {"margin95", facts.expected->unchanged_margin},
      {"basis",
       "the share of words whose released vector lies nearest to their own projected vector, by the public "
       "model and its public word frequencies, never the input"}};
}

}  // namespace

std::string vector_report(const Mechanism& mechanism, const VectorReleaseFacts& facts) {
  const Claim& claim = mechanism.claim;
  const ReleaseConditions conditions{.seeded_not_private = facts.seeded_not_private};
  const auto broken = conditions.broken_promises();
  Json report;
  report["schema"] = "sotto.vector-report/2";
  report["sotto_version"] = SOTTO_VERSION;
  report["released_at"] = facts.released_at.empty() ? Json(nullptr) : Json(facts.released_at);
  report["released"] = released_files(facts);
  report["mechanism"] = mechanism.info == nullptr ? "" : std::string(mechanism.info->name);
  report["parameters"] = mechanism.parameters.texts();
  report["metric"] = "euclidean";
  report["nominal_epsilon"] = number_or_null(claim.epsilon);
  report["guarantee"] = broken.empty() ? claim.guarantee : "None for this release; see status_reasons.";
  report["mechanism_guarantee"] = claim.guarantee;
  report["status"] = status_name(conditions.status(claim));
  report["status_reasons"] = broken;
  add_strength(facts, report);
  report["caveat"] = claim.caveat.empty() ? Json(nullptr) : Json(claim.caveat);
  report["arithmetic"] = claim.arithmetic;
  report["largest_vector_loss"] =
      claim.largest_word_loss ? number_or_null(*claim.largest_word_loss) : Json(nullptr);
  report["composition"] =
      "The losses of several vectors about one person or document add up. Another release of the same "
      "vectors adds its loss to this one.";
  for (const auto& [name, value] : mechanism.facts) report[key_of(name)] = value;
  report["model"] = nullptr;
  if (facts.model != nullptr) {
    report["model"] = {{"name", facts.model->origin().name},
                       {"identity", facts.model->identity()},
                       {"words", facts.model->size()},
                       {"dimension", facts.model->dim()}};
  }
  report["input"] = facts.words ? "words of the model" : "a matrix of vectors";
  report["rows"] = facts.rows;
  report["number_type"] = facts.number_type;
  if (facts.words) {
    report["unknown_words"] = {
        {"policy", "anchor"}, {"anchor", facts.words->anchor}, {"rows", facts.words->unknown}};
  }
  report["randomness"] = facts.seeded_not_private ? "SEEDED: not private, the noise can be replayed"
                                                  : "AES-256-CTR, fresh key from the operating system";
  report["leaks"] = leaks_of(facts);
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sotto
