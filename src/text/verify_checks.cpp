#include "text/verify_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sotto/error.h"

namespace sotto {

void ReportChecks::ok(std::string name, std::string reason) {
  result_.checks.push_back({std::move(name), VerifyCheck::Outcome::ok, std::move(reason)});
}
void ReportChecks::wrong(std::string name, std::string reason) {
  result_.checks.push_back({std::move(name), VerifyCheck::Outcome::wrong, std::move(reason)});
}
void ReportChecks::skip(std::string name, std::string reason) {
  result_.checks.push_back({std::move(name), VerifyCheck::Outcome::not_checked, std::move(reason)});
}
void ReportChecks::judge(bool holds, std::string name, Reasons reasons) {
  holds ? ok(std::move(name), std::move(reasons.good)) : wrong(std::move(name), std::move(reasons.bad));
}

VerifyResult ReportChecks::run() {
  check_version();
  check_released();
  if (check_model()) {
    if (const auto mechanism = check_mechanism()) check_rest(*mechanism);
  }
  return std::move(result_);
}

void ReportChecks::check_version() {
  ok("schema", "known");
  if (text_field(report_, "sotto_version") == SOTTO_VERSION) {
    ok("version", "written by this version of Sotto");
  } else {
    skip("version", "written by another version of Sotto, whose sentences may differ from those of this one");
  }
}

// The time is the word of whoever wrote the report; the files can be compared.
void ReportChecks::check_released() {
  const ReportJson& stated = field(report_, "released");
  std::vector<std::string> hashes;
  bool is_sound = is_null(report_, "released") || stated.is_array();
  for (std::size_t i = 0; is_sound && i < stated.size(); ++i) {
    const auto hash = text_field(stated[i], "sha256");
    is_sound = hash && hash->size() == 64 && hash->find_first_not_of("0123456789abcdef") == std::string::npos;
    if (is_sound) hashes.push_back(*hash);
  }
  if (!is_sound) {
    wrong("released", "it must list the SHA-256 of each file released, in hexadecimal");
    return;
  }
  for (std::size_t i = 0; i < released_.size(); ++i) {
    const bool is_named = std::ranges::find(hashes, released_[i]) != hashes.end();
    judge(is_named, "released",
          {.good = fmt::format("file {} has the SHA-256 of a file that the report names", i + 1),
           .bad = fmt::format("file {} is none of those that the report names", i + 1)});
  }
  if (released_.empty()) {
    skip("released", hashes.empty() ? "the report names no file"
                                    : "no file was given; `released` FILE compares one with its SHA-256");
  }
}

void ReportChecks::check_strength(const std::optional<Forecast>& expected, Released released) {
  if (!expected) {
    judge(is_null(report_, "strength") && is_null(report_, "expected_unchanged"), "strength",
          {.good = "none is stated: free vectors are no words, so no share of words can stay",
           .bad = "it must be null: free vectors are no words, so no share of words can stay"});
    return;
  }
  result_.strength = strength_of(expected->unchanged);
  result_.expected_unchanged = expected->unchanged;
  const auto share = number_field(field(report_, "expected_unchanged"), "share");
  // On the machine that wrote the report the forecast is the same to the bit. Elsewhere draws may differ, and
  // the share by as much as its margin.
  const double least = expected->unchanged - expected->unchanged_margin;
  const std::string recomputed = fmt::format("recomputed: {:.1f}% (+- {:.1f}%)", 100 * expected->unchanged,
                                             100 * expected->unchanged_margin);
  judge(share && *share <= 1 && *share >= least, "expected_unchanged",
        {.good = recomputed, .bad = "it is missing, or lower than what was " + recomputed});
  const std::optional<Strength> stated = share ? std::optional(strength_of(*share)) : std::nullopt;
  const bool follows = stated && text_field(report_, "strength") == strength_name(*stated) &&
                       text_field(report_, "strength_reason") == strength_sentence(*stated, released);
  const bool is_better = stated && *stated < strength_of(least);
  judge(follows && !is_better, "strength",
        {.good = std::string(strength_name(*result_.strength)),
         .bad = fmt::format("it must be {}, by the share that is expected to stay, and be said so",
                            strength_name(*result_.strength))});
}

bool ReportChecks::check_identity() {
  const ReportJson& stated = field(report_, "model");
  const std::string& identity = model_->identity();
  if (identity != model_->stated_identity()) {
    wrong("model", "the model file states an identity that its contents do not have");
    return false;
  }
  if (text_field(stated, "identity") != identity) {
    wrong("model",
          fmt::format("the report is about another model than this one ({}); nothing else can be checked",
                      identity));
    return false;
  }
  judge(count_field(stated, "words") == model_->size() && count_field(stated, "dimension") == model_->dim(),
        "model",
        {.good = fmt::format("{}, recomputed from its words and vectors", identity),
         .bad = "the identity is right, the number of words or dimensions is not"});
  return true;
}

std::optional<Mechanism> ReportChecks::check_mechanism() {
  const auto name = text_field(report_, "mechanism");
  const auto registry = mechanisms();
  const auto info =
      std::ranges::find_if(registry, [&](const MechanismInfo& known) { return name && known.name == *name; });
  if (info == registry.end()) {
    wrong("mechanism", "the report names none that this version has");
    return std::nullopt;
  }
  const auto texts = texts_field(report_, "parameters");
  if (!texts) {
    wrong("parameters", "they are missing, or not texts by name");
    return std::nullopt;
  }
  ok("mechanism", std::string(info->name));
  try {
    auto mechanism = rebuild(*info, *texts);
    if (!mechanism) return std::nullopt;
    judge(mechanism->parameters.texts() == *texts, "parameters",
          {.good = "the mechanism was built again from them",
           .bad = "built again, the mechanism has others: some are missing, or not written as Sotto does"});
    return mechanism;
  } catch (const Error& error) {  // its message quotes the parameters
    if (error.code() == ErrorCode::input_output) throw;
    // Parameters from outside may also be so extreme that the arithmetic gives up.
    wrong("parameters", "the mechanism refuses them on this model");
    return std::nullopt;
  }
}

void ReportChecks::check_text(const char* name, std::string_view expected) {
  judge(text_field(report_, name) == expected, name,
        {.good = "as it follows", .bad = "not the one that follows"});
}

void ReportChecks::check_claim(const Mechanism& mechanism, std::size_t reasons) {
  const Claim& claim = mechanism.claim;
  const bool broken = reasons > 0;
  const auto nominal = number_field(report_, "nominal_epsilon");
  const bool same = std::isfinite(claim.epsilon) ? nominal && is_near(*nominal, claim.epsilon)
                                                 : is_null(report_, "nominal_epsilon");
  judge(same, "nominal_epsilon",
        {.good = number_text(claim.epsilon),
         .bad = fmt::format("not that of the parameters, which is {}", number_text(claim.epsilon))});
  check_text("guarantee", broken ? "None for this release; see status_reasons." : claim.guarantee);
  check_text("mechanism_guarantee", claim.guarantee);
  const std::string_view status = status_name(broken ? Status::not_private : claim.status);
  const ReportJson& stated = field(report_, "status_reasons");
  judge(text_field(report_, "status") == status && stated.is_array() && stated.size() == reasons, "status",
        {.good = std::string(status),
         .bad = fmt::format(
             "it must be {}, with {} of status_reasons, by the mechanism, the policy for unknown words "
             "and the randomness",
             status, reasons)});
  if (claim.caveat.empty()) {
    judge(is_null(report_, "caveat"), "caveat", {.good = "none", .bad = "there is none"});
  } else {
    check_text("caveat", claim.caveat);
  }
  check_text("arithmetic", claim.arithmetic);
}

void ReportChecks::check_facts(const Mechanism& mechanism, FactNames names) {
  for (const auto& [name, value] : mechanism.facts) {
    std::string key = name;
    if (names == FactNames::underscored) std::ranges::replace(key, ' ', '_');
    judge(text_field(report_, key) == value, key,
          {.good = value, .bad = fmt::format("it must be {}", value)});
  }
}

std::optional<bool> ReportChecks::check_randomness() {
  const auto stated = text_field(report_, "randomness");
  if (stated == "SEEDED: not private, the noise can be replayed") {
    ok("randomness", "seeded, and said so");
    return true;
  }
  if (stated == "AES-256-CTR, fresh key from the operating system") {
    skip("randomness", "said to be fresh; no report can prove it");
    return false;
  }
  wrong("randomness", "neither of the two kinds that there are");
  return std::nullopt;
}

}  // namespace sotto
