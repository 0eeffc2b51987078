#include <fmt/format.h>

#include <cmath>

#include "core/bound_text.h"
#include "mechanisms/own_law.h"
#include "mechanisms/rows.h"
#include "sotto/certificate.h"

namespace sotto {
namespace {

// A larger additive loss is no rounding: words are so close that their distance may be 0.
constexpr double kMostAdditive = 1e-6;

bool is_finite(const Certificate& certificate) {
  return std::isfinite(certificate.realised_epsilon) && std::isfinite(certificate.largest_loss) &&
         certificate.additive_loss <= kMostAdditive;
}

std::string worst_pair_text(const Mechanism& mechanism, const Certificate& certificate) {
  const Model& model = mechanism.space->model();
  return fmt::format("\"{}\" and \"{}\"", model.word(certificate.worst_first),
                     model.word(certificate.worst_second));
}

// Nothing bounds the loss: why.
std::string unbounded_reason(const Mechanism& mechanism, const Certificate& certificate) {
  if (std::isfinite(certificate.realised_epsilon)) {
    return fmt::format("None: words whose vectors are all but equal lose up to {}.",
                       rounded_up(certificate.additive_loss));
  }
  return fmt::format(
      "None: an output is possible for one of {} and impossible for the other, or their vectors "
      "are equal and their rows are not.",
      worst_pair_text(mechanism, certificate));
}

void state_claim(Mechanism& mechanism, const Certificate& certificate, const OwnLaw& law) {
  Claim& claim = mechanism.claim;
  claim.by_certificate = is_finite(certificate);
  if (!claim.by_certificate) {
    claim.guarantee = unbounded_reason(mechanism, certificate);
    if (law.epsilon) claim.status = Status::refuted;
    return;
  }
  const double realised = certificate.realised_epsilon;
  const bool keeps = realised <= law.epsilon.value_or(realised);
  claim.status = keeps ? Status::proven : Status::refuted;
  claim.epsilon = law.epsilon.value_or(realised);
  claim.largest_word_loss = certificate.largest_loss;
  claim.guarantee =
      keeps ? per_word_guarantee(rounded_up(claim.epsilon) + " * d",
                                 fmt::format("{} distance, certified over all pairs of the model's {} words",
                                             metric_name(mechanism.space->metric()), mechanism.space->size()))
            : fmt::format("The claim of {} * d is false: the certificate is {} * d, attained by {}.",
                          number_text(claim.epsilon), rounded_up(realised),
                          worst_pair_text(mechanism, certificate));
}

}  // namespace

CertifiedMechanism mechanism_from_law(const std::shared_ptr<const Model>& model, const OwnLaw& law,
                                      const Work& work) {
  CertifiedMechanism out{.mechanism = build_own_law(model, law)};
  out.certificate = certify(out.mechanism, work.at("certifying"));
  if (out.certificate) {
    out.source = CertificateSource::computed;
    state_claim(out.mechanism, *out.certificate, law);
  } else {
    out.mechanism.claim.guarantee = fmt::format(
        "None: nothing is proven of this law. Its certificate takes at most {} words, and the model "
        "has {}.",
        kGeneralLimit, model->size());
  }
  return out;
}

}  // namespace sotto
