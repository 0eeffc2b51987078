#include "text/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/bound_text.h"
#include "sotto/error.h"
#include "sotto/privatizer.h"
#include "text/verify_checks.h"

namespace sotto {

namespace {

class ReleaseChecks final : public ReportChecks {
 public:
  using ReportChecks::ReportChecks;

 protected:
  bool check_model() override { return check_identity(); }
  std::optional<Mechanism> rebuild(const MechanismInfo& info, const ParameterTexts& texts) override {
    if (info.build == nullptr) {
      wrong("mechanism", "it releases vectors, not words");
      return std::nullopt;
    }
    return build_mechanism(info.name, model_, texts, work_).mechanism;
  }
  void check_rest(const Mechanism& mechanism) override;

 private:
  std::optional<bool> check_unknown_words();
  void check_certificate(const Mechanism& mechanism);
  void check_largest_loss(const Mechanism& mechanism);
  void check_certified_loss(const std::optional<Certificate>& certificate);
  // worst_case_longest_document and worst_case_longest_record.
  void check_worst_case(const std::string& unit, bool broken);
  void check_counts();
};

// Whether the policy shows which words were unknown; empty: it is none of ours.
std::optional<bool> ReleaseChecks::check_unknown_words() {
  constexpr std::array kPolicies = {UnknownWords::anchor, UnknownWords::mask, UnknownWords::drop,
                                    UnknownWords::keep};
  const ReportJson& stated = field(report_, "unknown_words");
  const auto policy = text_field(stated, "policy");
  const auto known = std::ranges::find_if(
      kPolicies, [&](UnknownWords one) { return policy && unknown_words_name(one) == *policy; });
  const auto anchor = text_field(stated, "anchor");
  if (known == kPolicies.end() || !anchor || !model_->find(*anchor)) {
    wrong("unknown_words",
          "the policy is none of anchor, mask, drop, keep, or the anchor is no word of the model");
    return std::nullopt;
  }
  ok("unknown_words", fmt::format("policy {}, the anchor is a word of the model", *policy));
  return *known != UnknownWords::anchor;
}

void ReleaseChecks::check_certificate(const Mechanism& mechanism) {
  const auto certificate = certify(mechanism, work_);
  const auto stated = number_field(report_, "certified_epsilon");
  const bool states_none = is_null(report_, "certified_epsilon");
  if (!stated && !states_none) {
    wrong("certified_epsilon", "it is missing, or no number");
  } else if (stated && !certificate) {
    wrong("certified_epsilon", "it is not one that can be computed for this mechanism and this many words");
  } else if (stated) {
    judge(std::isfinite(certificate->realised_epsilon) && is_at_least(*stated, certificate->realised_epsilon),
          "certified_epsilon",
          {.good = "recomputed over all pairs: " + rounded_up(certificate->realised_epsilon, 9),
           .bad = fmt::format("recomputed over all pairs it is {}, more than is stated",
                              rounded_up(certificate->realised_epsilon, 9))});
    const double additive = certificate->additive_loss;
    const auto stated_additive = number_field(report_, "additive_loss");
    judge(stated_additive && is_at_least(*stated_additive, additive), "additive_loss",
          {.good = fmt::format("recomputed: {}", rounded_up(additive, 9)),
           .bad = fmt::format("recomputed it is {}, more than is stated", rounded_up(additive, 9))});
  } else {
    skip("certified_epsilon",
         certificate ? "the report states none; computed now: " + rounded_up(certificate->realised_epsilon, 9)
                     : "the report states none");
  }
  if (certificate && mechanism.claim.status == Status::proven) {
    judge(is_at_least(mechanism.claim.epsilon, certificate->realised_epsilon), "nominal_epsilon holds",
          {.good = "the recomputed loss keeps to it",
           .bad = fmt::format("the recomputed loss is {} per unit of distance",
                              rounded_up(certificate->realised_epsilon, 9))});
  }
  check_largest_loss(mechanism);
  check_certified_loss(certificate);
}

void ReleaseChecks::check_largest_loss(const Mechanism& mechanism) {
  const ReportJson& stated = field(report_, "largest_word_loss");
  const auto value = number_field(stated, "value");
  const auto kind = text_field(stated, "kind");
  if (!value) {
    const bool none = is_null(report_, "largest_word_loss") || is_null(stated, "value");
    none ? skip("largest_word_loss", "the report states no bound")
         : wrong("largest_word_loss", "it is missing, or no number");
    return;
  }
  const auto& known = mechanism.claim.largest_word_loss;
  if (!known || kind != (mechanism.claim.by_certificate ? "certified" : "proven bound")) {
    wrong("largest_word_loss", "there is no such bound for this mechanism on this model");
    return;
  }
  judge(is_at_least(*value, *known), "largest_word_loss",
        {.good = fmt::format("recomputed ({}): {}", *kind, rounded_up(*known, 9)),
         .bad = fmt::format("recomputed ({}) it is {}, more than is stated", *kind, rounded_up(*known, 9))});
}

void ReleaseChecks::check_certified_loss(const std::optional<Certificate>& certificate) {
  constexpr char kName[] = "certified_largest_word_loss";
  const auto stated = number_field(report_, kName);
  const bool has_epsilon = number_field(report_, "certified_epsilon").has_value();
  if (!stated) {
    judge(is_null(report_, kName) && !has_epsilon, kName,
          {.good = "none, as no certificate is stated", .bad = "it is missing, or no number"});
    return;
  }
  judge(has_epsilon && certificate && is_at_least(*stated, certificate->largest_loss), kName,
        {.good = "recomputed over all pairs: " + rounded_up(certificate ? certificate->largest_loss : 0, 9),
         .bad = certificate ? fmt::format("recomputed over all pairs it is {}, more than is stated",
                                          rounded_up(certificate->largest_loss, 9))
                            : "it is not one that can be computed for this mechanism and this many words"});
}

void ReleaseChecks::check_worst_case(const std::string& unit, bool broken) {
  const std::string name = "worst_case_longest_" + unit;
  if (!report_.contains(name)) {
    report_.contains("counts") ? wrong(name, "it is missing")
                               : skip(name, "left out, as are the counts: a public report");
    return;
  }
  const auto value = number_field(report_, name);
  const auto proven = number_field(field(report_, "largest_word_loss"), "value");
  const auto certified = number_field(report_, "certified_largest_word_loss");
  const auto loss = proven && certified ? std::optional(std::min(*proven, *certified))
                    : proven            ? proven
                                        : certified;
  const auto length = count_field(field(report_, "counts"), "longest_" + unit);
  if (broken || !loss) {
    judge(is_null(report_, name), name,
          {.good = "none, as nothing bounds it", .bad = "a number is stated where nothing bounds the loss"});
    return;
  }
  const double product = length ? *loss * static_cast<double>(*length) : 0;
  // An empty text loses nothing; the report rounds upwards.
  const bool right =
      value && length && *value >= product * (1 - 1e-9) && *value <= product * (1 + 1e-9) + 1e-300;
  judge(right, name,
        {.good = fmt::format("{} words times the largest word loss", length.value_or(0)),
         .bad = fmt::format("it is not the largest word loss times the longest {}", unit)});
}

void ReleaseChecks::check_counts() {
  if (!report_.contains("counts")) {
    skip("counts", "left out: a public report");
    return;
  }
  const ReportJson& counts = field(report_, "counts");
  const auto documents = count_field(counts, "documents");
  const auto tokens = count_field(counts, "tokens");
  const auto unknown = count_field(counts, "unknown_tokens");
  const auto longest = count_field(counts, "longest_document");
  const auto record = count_field(counts, "longest_record");
  const bool possible = documents && tokens && unknown && longest && record && *unknown <= *tokens &&
                        *longest <= *record && *record <= *tokens && (*longest > 0) == (*tokens > 0) &&
                        (*tokens == 0 || *documents > 0) &&
                        (*longest == 0 || *tokens / *longest <= *documents);
  judge(possible, "counts",
        {.good = "possible; whether they are those of the text, only its holder can tell",
         .bad = "no text has such counts"});
}

void ReleaseChecks::check_rest(const Mechanism& mechanism) {
  judge(text_field(report_, "metric") == metric_name(mechanism.space->metric()), "metric",
        {.good = std::string(metric_name(mechanism.space->metric())), .bad = "not that of the parameters"});
  judge(count_field(field(report_, "model"), "merged_words") == mechanism.space->merged_words(),
        "merged_words",
        {.good = "as recomputed", .bad = "not the number of words that share a row in this metric"});
  check_facts(mechanism, FactNames::as_they_are);
  const auto shows_unknown = check_unknown_words();
  const auto seeded = check_randomness();
  if (shows_unknown && seeded) {
    const std::size_t reasons = (*shows_unknown ? 1U : 0U) + (*seeded ? 1U : 0U);
    check_claim(mechanism, reasons);
    check_worst_case("document", reasons > 0);
    check_worst_case("record", reasons > 0);
  } else {
    skip("status", "it depends on the policy for unknown words and the randomness");
  }
  check_certificate(mechanism);
  check_counts();
  check_strength(forecast(mechanism, {.threads = work_.threads}), Released::words);
  skip("settings", "how the files were read; only the text's holder can tell");
  judge(field(report_, "leaks").is_array() && !field(report_, "leaks").empty(), "leaks",
        {.good = "declared; whether all are, the text's holder can tell", .bad = "none are declared"});
}

}  // namespace

std::size_t VerifyResult::count(VerifyCheck::Outcome outcome) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(checks, [&](const VerifyCheck& check) { return check.outcome == outcome; }));
}

VerifyResult verify_report(std::string_view report, const std::shared_ptr<const Model>& model,
                           const Work& work, const std::vector<std::string>& released) {
  const ReportJson json = parse_report(report);
  const auto schema = text_field(json, "schema");
  VerifyResult result;
  if (schema == "sotto.release-report/2") {
    result = ReleaseChecks(json, model, work, released).run();
  } else if (schema == "sotto.vector-report/2") {
    result = check_vector_report(json, model, work, released);
  } else if (schema == "sotto.release-report/1" || schema == "sotto.vector-report/1") {
    throw Error(
        ErrorCode::bad_data,
        "this report was written by an earlier version of Sotto, which stated neither the strength of "
        "the release nor the files: verify it with that version, or release again");
  } else {
    throw Error(ErrorCode::bad_data,
                "this is not a report that this version of Sotto knows: its schema must be "
                "sotto.release-report/2 or sotto.vector-report/2 (`sotto privatize --report`, `sotto vectors "
                "--report`)");
  }
  result.schema = *schema;
  return result;
}

}  // namespace sotto
