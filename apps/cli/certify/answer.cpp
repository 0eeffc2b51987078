#include "cli/certify/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/bound_text.h"
#include "shared/console.h"

namespace sotto::cli {

namespace {

bool exceeds(double value, double limit) {
  return value > limit + kAgreement * std::max(std::abs(limit), 1e-3);
}

const ExponentialLaw* law_of(const Mechanism& mechanism) {
  return mechanism.words->exponential_law();
}

}  // namespace

bool Verification::agrees() const {
  return !exceeds(epsilon, kept_epsilon) && !exceeds(largest_loss, kept_largest_loss);
}

std::optional<double> CertifyAnswer::certified_epsilon() const {
  // What was computed anew counts more than what was kept.
  if (verification) return verification->epsilon;
  if (certificate) return certificate->realised_epsilon;
  if (mechanism.claim.status == Status::proven) return mechanism.claim.epsilon;
  return std::nullopt;
}

std::optional<double> CertifyAnswer::additive_loss() const {
  return certificate ? std::optional(certificate->additive_loss) : std::nullopt;
}

std::optional<double> CertifyAnswer::largest_word_loss() const {
  if (verification) return verification->largest_loss;
  return certificate ? std::optional(certificate->largest_loss) : mechanism.claim.largest_word_loss;
}

std::optional<double> CertifyAnswer::median_nearest() const {
  return certificate ? std::optional(certificate->median_nearest) : estimated_nearest;
}

std::optional<double> CertifyAnswer::mean_unchanged() const {
  if (!mechanism.token.empty()) return 0;  // no output is a word
  return certificate && certificate->mean_unchanged ? certificate->mean_unchanged : estimated_unchanged;
}

std::string CertifyAnswer::kind() const {
  if (certificate) return law_of(mechanism) != nullptr ? "exact upper bound" : "exact";
  return mechanism.claim.status == Status::proven ? "proven bound" : "sampled lower bound only";
}

std::optional<double> CertifyAnswer::slope() const {
  const ExponentialLaw* law = law_of(mechanism);
  return law != nullptr ? std::optional(law->slope) : std::nullopt;
}

std::optional<double> CertifyAnswer::gamma() const {
  const ExponentialLaw* law = law_of(mechanism);
  if (law == nullptr) return std::nullopt;
  // The law has a finite one in any case; beyond the largest distance it has no effect.
  const bool asked_for_none =
      mechanism.parameters.has("gamma") && std::isinf(mechanism.parameters.number("gamma"));
  if (asked_for_none && law->gamma >= mechanism.space->diameter_bound()) {
    return std::numeric_limits<double>::infinity();
  }
  return law->gamma;
}

bool CertifyAnswer::breaks_claim() const {
  const double claimed = mechanism.claim.epsilon;
  if (const auto certified = certified_epsilon(); certified && exceeds(*certified, claimed)) return true;
  return sampled && exceeds(sampled->epsilon, claimed);
}

std::string CertifyAnswer::verdict() const {
  const double claimed = mechanism.claim.epsilon;
  const std::string claim = std::isfinite(claimed) ? number_text(claimed) : "none";
  if (certificate && std::isinf(certificate->realised_epsilon)) {
    return fmt::format(
        "no epsilon holds: an output that one word may give is impossible for another (claimed: {})", claim);
  }
  if (certificate && mechanism.space->has_one_row()) {
    return "all words share one row: each output is as likely for one word as for another, and nothing is "
           "lost";
  }
  if (certificate) {
    const std::string realised = upper_text(*certified_epsilon());
    if (breaks_claim()) {
      return fmt::format("THE CLAIM IS FALSE here: epsilon {} is claimed, {} is realised", claim, realised);
    }
    return fmt::format("the claim{} holds{}: epsilon {} is claimed, at most {} is certified",
                       mechanism.claim.status == Status::proven ? "" : ", which is false in general,",
                       mechanism.claim.status == Status::proven ? "" : " on this model", claim, realised);
  }
  if (breaks_claim()) {
    return std::isinf(sampled->epsilon)
               ? fmt::format(
                     "THE CLAIM IS FALSE here: epsilon {} is claimed, and a pair shows that none holds",
                     claim)
               : fmt::format("THE CLAIM IS FALSE here: epsilon {} is claimed, and a pair realises {}", claim,
                             rounded_down(sampled->epsilon));
  }
  if (mechanism.claim.status == Status::proven) {
    return fmt::format("epsilon {} holds by a theorem; it was not computed on this model", claim);
  }
  return fmt::format("no epsilon is known to hold on this model (nominal: {})", claim);
}

std::string upper_text(double value) {
  constexpr int kDigits = 9;
  return std::isinf(value) ? "infinite" : rounded_up(value, kDigits);
}

Json finite_or_null(std::optional<double> value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

std::string parameters_text(const Mechanism& mechanism) {
  std::string out(mechanism.info->name);
  for (const auto& [name, text] : mechanism.parameters.texts()) out += fmt::format(", {} {}", name, text);
  return out;
}

}  // namespace sotto::cli
