#include "sotto/certificate.h"

#include "certify/calibration.h"
#include "certify/certificate_store.h"
#include "certify/law_certificate.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::size_t kQuickGeneralWords = 400;  // O(n^3): within a second or two

const Tem* as_tem(const Mechanism& mechanism) {
  return dynamic_cast<const Tem*>(mechanism.words.get());
}

CertifiedMechanism calibrated(const std::shared_ptr<const Model>& model, const TemRequest& request,
                              const Work& work) {
  const auto space = Space::make(model, request.metric);
  const CertificateStore store(space, request);
  std::optional<CalibratedLaw> found = store.load(work);
  if (!found) {
    const AllPairs pairs(space);
    found = calibrate(pairs,
                      {.calibration = request.calibration,
                       .epsilon = request.epsilon,
                       .gamma = request.gamma,
                       .state = store.load_state(),
                       .checkpoint = [&](const CalibrationState& state) { store.save_state(state); }},
                      work);
    store.save(pairs, *found);
    store.forget_state();
  }
  const Certificate& certificate = found->certified.certificate;
  Mechanism mechanism = build_tem(space, request, std::move(found->law),
                                  TemCertified{.largest_loss = certificate.largest_loss});
  return {.mechanism = std::move(mechanism), .certificate = certificate};
}

}  // namespace

std::optional<Certificate> certify(const Mechanism& mechanism, const Work& work) {
  if (mechanism.words == nullptr) return std::nullopt;
  if (const Tem* tem = as_tem(mechanism)) {
    return certify_tem(AllPairs(mechanism.space), tem->law(), work).certificate;
  }
  // No distance is above 0, so that epsilon * d is 0 for all pairs, law or no law.
  const bool is_proven = mechanism.claim.status == Status::proven;
  if (is_proven && mechanism.space->has_one_row()) return Certificate{};
  return mechanism.space->size() <= kGeneralLimit ? certify_law(mechanism, work) : std::nullopt;
}

std::optional<Certificate> certify_again(const Mechanism& mechanism, const Work& work) {
  const Tem* tem = as_tem(mechanism);
  if (tem == nullptr) return certify(mechanism, work);
  const AllPairs pairs(mechanism.space);
  const CalibratedLaw law{.law = tem->law(), .certified = certify_tem(pairs, tem->law(), work)};
  const Certificate& certificate = law.certified.certificate;
  // What does not keep to its claim is no certificate of it.
  const auto request = tem_request(*mechanism.info, mechanism.space->model(), mechanism.parameters);
  if (request && certificate.realised_epsilon <= mechanism.claim.epsilon) {
    CertificateStore(mechanism.space, *request).save(pairs, law);
  }
  return certificate;
}

bool is_calibrated(const Mechanism& mechanism) {
  return mechanism.parameters.has("calibration") && mechanism.parameters.text("calibration") != "paper";
}

std::optional<Certificate> kept_certificate(const Mechanism& mechanism, const Work& work) {
  if (as_tem(mechanism) == nullptr) return std::nullopt;
  const auto request = tem_request(*mechanism.info, mechanism.space->model(), mechanism.parameters);
  if (!request) return std::nullopt;
  auto kept = CertificateStore(mechanism.space, *request).load(work);
  return kept ? std::optional(std::move(kept->certified.certificate)) : std::nullopt;
}

std::optional<Certificate> certificate_of(const Mechanism& mechanism, const Work& work) {
  auto kept = kept_certificate(mechanism, work);
  return kept ? std::move(kept) : certify_again(mechanism, work);
}

CertifiedMechanism build_certified(std::string_view name, const std::shared_ptr<const Model>& model,
                                   const ParameterTexts& texts, const Work& work) {
  const MechanismInfo& info = find_mechanism(name);
  const Parameters parameters = parse_parameters(name, texts);
  const auto request = tem_request(info, *model, parameters);
  if (request && request->calibration != Calibration::paper) {
    CertifiedMechanism out = calibrated(model, *request, work);
    out.mechanism.info = &info;
    out.mechanism.parameters = parameters;
    return out;
  }
  CertifiedMechanism out{.mechanism = build_mechanism(name, model, texts), .certificate = std::nullopt};
  if (model->size() <= (request ? kQuickWords : kQuickGeneralWords)) {
    out.certificate = certify(out.mechanism, work);
  }
  return out;
}

}  // namespace sotto
