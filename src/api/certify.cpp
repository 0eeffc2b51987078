#include "sotto/certify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "api/certify_sample.h"
#include "core/bound_text.h"
#include "sotto/error.h"

namespace sotto::api {

namespace {

// Quantities agree that differ by no more than the rounding of sums in another order.
bool exceeds(double value, double limit) {
  constexpr double kAgreement = 1e-9;
  return value > limit + kAgreement * std::max(std::abs(limit), 1e-3);
}

const ExponentialLaw* law_of(const Mechanism& mechanism) {
  return mechanism.words == nullptr ? nullptr : mechanism.words->exponential_law();
}

// Both stretches are upper bounds between words. So is the sensitivity if it is covered; where the rows of
// the map are orthonormal, only the rounding of the other two exceeds it.
double realised_epsilon(const VectorStretch& stretch, const Claim& claim) {
  const double realised = std::min(stretch.spectral, stretch.vocabulary) / stretch.noise_scale;
  return stretch.is_covered ? std::min(realised, claim.epsilon) : realised;
}

CertifyAnswer certify_vectors(Mechanism mechanism, const CertifyRequest& request, const Work& work) {
  const auto& model = request.model;
  CertifyAnswer answer{.model = model, .mechanism = std::move(mechanism)};
  using Measured = VectorMechanism::Measured;
  answer.stretch =
      answer.mechanism.vectors->stretch_on(*model, request.verify ? Measured::again : Measured::reuse);
  if (!answer.stretch) {
    throw Error(ErrorCode::usage, fmt::format("{} has no projection, so it has no stretch to certify",
                                              answer.mechanism.info->name));
  }
  answer.expected = vector_forecast(answer.mechanism, *model, work.threads);
  return answer;
}

// What a verification compares with: the file of the cache, as it was before anything was built.
struct Cached {
  std::optional<StatedCertificate> stated;
  bool was_looked_at = false;  // building or certifying tried to load it
};

void verify(CertifyAnswer& answer, const Cached& cached, const Work& work) {
  Verification check;
  if (answer.source == CertificateSource::cached)
    check.kept = Verification::Kept::used;
  else if (cached.stated && cached.was_looked_at)
    check.kept = Verification::Kept::refused;
  // What the file says counts also if loading found it out: that is left to chance.
  const StatedCertificate stated = cached.stated.value_or(StatedCertificate{});
  check.kept_epsilon = stated.realised_epsilon.value_or(answer.certificate->realised_epsilon);
  check.kept_largest_loss = stated.largest_loss.value_or(answer.certificate->largest_loss);
  answer.certificate = certify_again(answer.mechanism, work.at("verifying"));
  check.epsilon = answer.certificate->realised_epsilon;
  check.largest_loss = answer.certificate->largest_loss;
  answer.verification = check;
}

// `stated`: what the cache said before the mechanism was built.
CertifyAnswer certify_words(CertifiedMechanism built, const std::optional<StatedCertificate>& stated,
                            const CertifyRequest& request, const Work& work) {
  const auto& model = request.model;
  const Setting setting{.info = built.mechanism.info, .parameters = built.mechanism.parameters};
  Cached cached{.stated = stated};
  // The certificate of a small model that needs no calibration is computed rather than read.
  cached.was_looked_at = !built.certificate || built.mechanism.claim.by_certificate;
  if (!built.certificate) {
    add_certificate(built, work.at("certifying"));
  } else if (!cached.was_looked_at && !cached.stated && setting.info->law_request != nullptr &&
             !model->derived_folder().empty()) {
    built.certificate = certify_again(built.mechanism, work.at("certifying"));  // so that it is kept
  }
  CertifyAnswer answer{.model = model,
                       .mechanism = std::move(built.mechanism),
                       .certificate = std::move(built.certificate),
                       .source = built.source};
  if (request.verify && answer.certificate) {
    verify(answer, cached, work);
    // certify_again() keeps what is sound; what is not must not be read again.
    if (answer.breaks_claim()) forget_certificate(setting, model);
  }
  if (!answer.certificate && !request.may_sample) {
    throw Error(
        ErrorCode::usage,
        fmt::format(
            "no certificate of {} can be computed on this model. A certificate needs a law in closed form "
            "and, except for tem and hyperbolic, at most {} words; `sotto audit` tests by draws instead",
            setting.info->name, kGeneralLimit));
  }
  if (!answer.certificate) add_samples(answer, work.at("sampling"));
  answer.expected = forecast(answer.mechanism, {.threads = work.threads});
  return answer;
}

}  // namespace

CertifyAnswer certify(const CertifyRequest& request, const Work& work) {
  const auto& model = request.model;
  if (request.setting.info->build_vectors != nullptr) {
    const VectorInput input{.model = model, .domain = VectorInput::Domain::words, .dim = model->dim()};
    return certify_vectors(build_vector_mechanism(request.setting, input), request, work);
  }
  const auto stated = stated_certificate(request.setting, model);  // building may replace the file
  return certify_words(build_mechanism(request.setting, model, work.at("calibrating")), stated, request,
                       work);
}

CertifyAnswer certify(CertifiedMechanism built, const CertifyRequest& request, const Work& work) {
  if (built.mechanism.vectors) return certify_vectors(std::move(built.mechanism), request, work);
  const Setting setting{.info = built.mechanism.info, .parameters = built.mechanism.parameters};
  return certify_words(std::move(built), stated_certificate(setting, request.model), request, work);
}

bool Verification::agrees() const {
  return !exceeds(epsilon, kept_epsilon) && !exceeds(largest_loss, kept_largest_loss);
}

std::optional<Strength> CertifyAnswer::strength() const {
  return expected ? std::optional(strength_of(expected->unchanged)) : std::nullopt;
}

std::string CertifyAnswer::strength_text() const {
  return expected ? strength_sentence(*strength(), is_of_vectors() ? Released::vectors : Released::words)
                  : "";
}

std::optional<double> CertifyAnswer::certified_epsilon() const {
  if (stretch) return realised_epsilon(*stretch, mechanism.claim);
  // What was computed anew counts more than what was kept.
  if (verification) return verification->epsilon;
  if (certificate) return certificate->realised_epsilon;
  if (mechanism.claim.status == Status::proven) return mechanism.claim.epsilon;
  return std::nullopt;
}

std::optional<double> CertifyAnswer::additive_loss() const {
  // Noise is added to vectors exactly, and their stretch is rounded up (docs/proofs/privemb.md).
  if (stretch) return 0;
  return certificate ? std::optional(certificate->additive_loss) : std::nullopt;
}

std::optional<double> CertifyAnswer::largest_word_loss() const {
  if (verification) return verification->largest_loss;
  return certificate ? std::optional(certificate->largest_loss) : mechanism.claim.largest_word_loss;
}

std::optional<double> CertifyAnswer::smallest_distance() const {
  if (certificate) return certificate->smallest_distance;
  return extremes ? std::optional(extremes->smallest) : std::nullopt;
}

std::optional<double> CertifyAnswer::largest_distance() const {
  if (certificate) return certificate->largest_distance;
  return extremes ? std::optional(extremes->largest) : std::nullopt;
}

std::optional<double> CertifyAnswer::median_nearest() const {
  // One definition for all commands: over words by their public frequency, as `privatize` states it.
  return expected && !is_of_vectors() ? std::optional(expected->median_nearest) : std::nullopt;
}

std::optional<double> CertifyAnswer::mean_unchanged() const {
  if (!mechanism.token.empty()) return 0;  // no output is a word
  return certificate && certificate->mean_unchanged ? certificate->mean_unchanged : estimated_unchanged;
}

std::optional<double> CertifyAnswer::sensitivity() const {
  return stretch ? std::optional(stretch->noise_scale * mechanism.claim.epsilon) : std::nullopt;
}

std::string_view CertifyAnswer::kind() const {
  if (stretch || (certificate && law_of(mechanism) != nullptr)) return "exact upper bound";
  if (certificate) return "exact";
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
  const bool is_proven = mechanism.claim.status == Status::proven;
  const std::string claim = std::isfinite(claimed) ? number_text(claimed) : "none";
  if (stretch) {
    const std::string realised = upper_text(*certified_epsilon());
    return holds()
               ? fmt::format("epsilon {} is claimed, and no pair of words loses more than {}", claim,
                             realised)
               : fmt::format(
                     "THE CLAIM IS FALSE here: epsilon {} is claimed, at most {} is realised between words",
                     claim, realised);
  }
  if (certificate && std::isinf(certificate->realised_epsilon)) {
    return fmt::format(
        "no epsilon holds: an output that one word may give is impossible for another (claimed: {})", claim);
  }
  if (certificate && mechanism.space->has_one_row()) {
    return "all words have the same law: each output is as likely for one word as for another, and nothing "
           "is "
           "lost";
  }
  if (certificate) {
    const std::string realised = upper_text(*certified_epsilon());
    if (breaks_claim()) {
      return fmt::format("THE CLAIM IS FALSE here: epsilon {} is claimed, {} is realised", claim, realised);
    }
    return fmt::format(
        "epsilon {} is claimed{}, and {}no pair of words loses more than {}; strength says whether that "
        "protects",
        claim, is_proven ? "" : ", which is false in general", is_proven ? "" : "on this model ", realised);
  }
  if (breaks_claim()) {
    return std::isinf(sampled->epsilon)
               ? fmt::format(
                     "THE CLAIM IS FALSE here: epsilon {} is claimed, and a pair shows that none holds",
                     claim)
               : fmt::format("THE CLAIM IS FALSE here: epsilon {} is claimed, and a pair realises {}", claim,
                             rounded_down(sampled->epsilon));
  }
  if (is_proven)
    return fmt::format("epsilon {} holds by a theorem; it was not computed on this model", claim);
  return fmt::format("no epsilon is known to hold on this model (nominal: {})", claim);
}

std::string upper_text(double value) {
  constexpr int kDigits = 9;
  return std::isinf(value) ? "infinite" : rounded_up(value, kDigits);
}

}  // namespace sotto::api
