#include "sotto/report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/bound_text.h"
#include "text/lookup.h"

namespace sotto {

namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string unknown_words_leak(UnknownWords policy) {
  switch (policy) {
    case UnknownWords::mask:
      return "Each word unknown to the model is masked, so its place is visible.";
    case UnknownWords::drop:
      return "Words unknown to the model are dropped, which changes the length visibly.";
    case UnknownWords::keep:
      return "Words unknown to the model are kept and can be read in clear.";
    case UnknownWords::anchor:
      break;
  }
  return {};
}

// Names of columns are cells of the file, so that a public report gives numbers.
const std::vector<std::string>& passed(const ReleaseFacts& facts, ReportDetail detail) {
  const bool by_name = !facts.passed_names.empty() && detail == ReportDetail::data_holder;
  return by_name ? facts.passed_names : facts.passed_through;
}

std::string passed_leak(const ReleaseFacts& facts, ReportDetail detail) {
  return std::string("Passed through in clear: ") + (facts.passed_names.empty() ? "" : "columns ") +
         joined(passed(facts, detail)) + ".";
}

// Records that an option allowed to pass, counted: for the data holder only.
void add_counted_leaks(const LayoutCounts& layout, Json& leaks) {
  if (layout.short_rows > 0) {
    leaks.push_back(
        "Rows with fewer cells than the first row: " + std::to_string(layout.short_rows) +
        ". Which rows they are is visible, and their cells outside the chosen columns are in clear.");
  }
  if (layout.missing_fields > 0) {
    leaks.push_back("Records without text at a chosen field: " + std::to_string(layout.missing_fields) +
                    ". Which records they are is visible, and what they hold in its place is in clear.");
  }
}

Json leaks_of(const Privatizer& privatizer, const ReleaseFacts& facts, ReportDetail detail) {
  Json leaks = Json::array();
  leaks.push_back("The number of documents and their order are those of the input.");
  leaks.push_back("The length of every document in words is visible.");
  leaks.push_back("The layout is visible: white space, line breaks and punctuation pass in clear.");
  leaks.push_back("Where two replaced words touched, one space was put between them.");
  if (!facts.format.empty()) {
    leaks.push_back("The file format (" + facts.format +
                    ") and everything outside the chosen text is that of the input.");
  }
  if (!facts.passed_through.empty()) leaks.push_back(passed_leak(facts, detail));
  for (const std::string& leak : facts.allowed_leaks) leaks.push_back(leak);
  if (detail == ReportDetail::data_holder) add_counted_leaks(facts.counts.layout, leaks);
  if (privatizer.options().strip_html) {
    leaks.push_back("HTML tags were removed, one space standing for each, and basic entities were decoded.");
  }
  const std::string unknown = unknown_words_leak(privatizer.options().unknown);
  if (!unknown.empty()) leaks.push_back(unknown);
  leaks.push_back("The time that a run takes depends on the words.");
  return leaks;
}

// {"value", "kind"} of Lmax, or null where no bound is known.
Json largest_word_loss(const Mechanism& mechanism) {
  const auto& loss = mechanism.claim.largest_word_loss;
  if (!loss) return nullptr;
  return {{"value", number_or_null(*loss)},
          {"kind", mechanism.claim.by_certificate ? "certified" : "proven bound"}};
}

// Rounded up, since it is a bound; null if there is none for a word.
Json worst_case(const std::optional<double>& word_loss, std::uint64_t length) {
  return word_loss ? number_or_null(product_up(*word_loss, static_cast<double>(length))) : Json(nullptr);
}

Json released_files(const ReleaseFacts& facts, ReportDetail detail) {
  if (!facts.released) return nullptr;
  Json files = Json::array();
  for (const ReleasedFile& file : *facts.released) {
    Json row;
    if (detail == ReportDetail::data_holder) row["name"] = file.name;
    row["sha256"] = file.sha256;
    files.push_back(std::move(row));
  }
  return files;
}

Json settings_of(const Privatizer& privatizer, const ReleaseFacts& facts, ReportDetail detail) {
  Json settings = Json::object();
  settings["unknown"] = unknown_words_name(privatizer.options().unknown);
  settings["strip-html"] = privatizer.options().strip_html ? "yes" : "no";
  for (const ReleaseSetting& setting : facts.settings) {
    if (setting.audience == ReleaseSetting::Audience::everybody || detail == ReportDetail::data_holder) {
      settings[setting.name] = setting.value;
    }
  }
  return settings;
}

Json model_facts(const Space& space) {
  const Model& model = space.model();
  return {{"name", model.origin().name},
          {"identity", model.identity()},
          {"words", model.size()},
          {"dimension", model.dim()},
          {"merged_words", space.merged_words()},
          {"folding", Lookup(space.shared_model()).rules()}};
}

Json count_facts(const TextCounts& counts) {
  return {{"documents", counts.documents},
          {"tokens", counts.tokens},
          {"unknown_tokens", counts.unknown_tokens},
          {"inserted_spaces", counts.inserted_spaces},
          {"longest_document", counts.longest_document},
          {"longest_record", counts.longest_record},
          {"empty_lines", counts.layout.empty_lines},
          {"short_rows", counts.layout.short_rows},
          {"missing_fields", counts.layout.missing_fields}};
}

Json error_facts(const std::optional<MeasuredError>& error) {
  if (!error) return nullptr;
  return {{"value", error->value}, {"low", error->low}, {"high", error->high}, {"tokens", error->tokens}};
}

Json attack_facts(const MeasuredAttack& attack) {
  Json out = {{"documents", attack.documents}, {"tokens", attack.tokens}, {"attackers", Json::array()}};
  for (const MeasuredAttacker& own : attack.attackers) {
    out["attackers"].push_back({{"name", own.name},
                                {"assumes", own.assumes},
                                {"error", error_facts(own.error)},
                                {"error_content", error_facts(own.error_content)},
                                {"error_replaced", error_facts(own.error_replaced)},
                                {"error_unknown", error_facts(own.error_unknown)}});
  }
  out["note"] =
      "Measured by `sotto attack` on a sample with this model, mechanism and these parameters, not on this "
      "release. Errors are shares of wrong guesses with 95% intervals over documents. A better attacker errs "
      "less often.";
  return out;
}

}  // namespace

std::vector<std::string> ReleaseConditions::broken_promises() const {
  std::vector<std::string> reasons;
  if (unknown != UnknownWords::anchor) {
    reasons.emplace_back("Which words the model does not know can be seen in the output.");
  }
  if (seeded_not_private) {
    reasons.emplace_back("The random numbers came from a seed: whoever knows it can replay the noise.");
  }
  return reasons;
}

Status ReleaseConditions::status(const Claim& claim) const {
  return broken_promises().empty() ? claim.status : Status::not_private;
}

std::string release_report(const Privatizer& privatizer, const ReleaseFacts& facts, ReportDetail detail) {
  const Mechanism& mechanism = privatizer.mechanism();
  const Claim& claim = mechanism.claim;
  const ReleaseConditions conditions{.unknown = privatizer.options().unknown,
                                     .seeded_not_private = facts.seeded_not_private};
  const auto broken = conditions.broken_promises();
  const Strength strength = strength_of(facts.expected.unchanged);
  // For the texts of this release the smaller of the two figures counts.
  std::optional<double> word_loss = claim.largest_word_loss;
  if (facts.certificate) {
    const double certified = facts.certificate->largest_loss;
    word_loss = std::min(word_loss.value_or(certified), certified);
  }

  Json report;
  report["schema"] = "sotto.release-report/2";
  report["sotto_version"] = SOTTO_VERSION;
  report["audience"] = detail == ReportDetail::data_holder ? "data holder" : "public";
  report["released_at"] = facts.released_at.empty() ? Json(nullptr) : Json(facts.released_at);
  report["released"] = released_files(facts, detail);
  if (facts.finished_earlier > 0) {
    report["released_note"] =
        "Other files of the folder were finished by earlier runs, whose reports name them.";
  }
  report["mechanism"] = mechanism.info == nullptr ? "" : std::string(mechanism.info->name);
  report["parameters"] = mechanism.parameters.texts();
  report["metric"] = metric_name(mechanism.space->metric());
  for (const auto& [name, value] : mechanism.facts) report[name] = value;
  report["nominal_epsilon"] = number_or_null(claim.epsilon);
  report["certified_epsilon"] =
      facts.certificate ? number_or_null(facts.certificate->realised_epsilon) : Json(nullptr);
  report["additive_loss"] =
      facts.certificate ? number_or_null(facts.certificate->additive_loss) : Json(nullptr);
  if (!facts.certificate) report["certified_epsilon_note"] = "not asked for; `certify` computes it";
  report["guarantee"] = broken.empty() ? claim.guarantee : "None for this release; see status_reasons.";
  report["mechanism_guarantee"] = claim.guarantee;
  report["status"] = status_name(conditions.status(claim));
  report["status_reasons"] = broken;
  report["strength"] = strength_name(strength);
  report["strength_reason"] = strength_sentence(strength);
  report["caveat"] = claim.caveat.empty() ? Json(nullptr) : Json(claim.caveat);
  report["arithmetic"] = claim.arithmetic;
  report["largest_word_loss"] = largest_word_loss(mechanism);
  report["certified_largest_word_loss"] =
      facts.certificate ? number_or_null(facts.certificate->largest_loss) : Json(nullptr);
  if (detail == ReportDetail::data_holder) {
    report["worst_case_longest_document"] =
        broken.empty() ? worst_case(word_loss, facts.counts.longest_document) : Json(nullptr);
    report["worst_case_longest_record"] =
        broken.empty() ? worst_case(word_loss, facts.counts.longest_record) : Json(nullptr);
  }
  report["composition"] =
      "The loss of a text is the sum of the losses of its words, and the loss of a row or record the sum "
      "over "
      "its chosen columns or fields. Another release of the same text adds its loss to this one.";
  report["names"] =
      "A name that the model knows is an ordinary word: it may stay as it is. A name that stands in 50 rows "
      "is "
      "released 50 times, and an average over these releases can show it.";
  report["model"] = model_facts(*mechanism.space);
  report["expected_unchanged"] = {
      {"share", number_or_null(facts.expected.unchanged)},
      {"margin95", number_or_null(facts.expected.unchanged_margin)},
      {"basis", "the public model and its public word frequencies, never the input"}};
  report["epsilon_times_median_nearest_distance"] = number_or_null(facts.expected.scaled_nearest);
  report["settings"] = settings_of(privatizer, facts, detail);
  report["unknown_words"] = {{"policy", unknown_words_name(privatizer.options().unknown)},
                             {"anchor", mechanism.space->model().word(privatizer.anchor())}};
  if (detail == ReportDetail::data_holder) report["counts"] = count_facts(facts.counts);
  if (detail == ReportDetail::data_holder && facts.attack) report["attack"] = attack_facts(*facts.attack);
  report["randomness"] = facts.seeded_not_private ? "SEEDED: not private, the noise can be replayed"
                                                  : "AES-256-CTR, fresh key from the operating system";
  report["passed_through"] = passed(facts, detail);
  report["leaks"] = leaks_of(privatizer, facts, detail);
  // A column name may be bad UTF-8: replaced, since the library would otherwise throw and quote it.
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sotto
