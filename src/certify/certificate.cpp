#include "sotto/certificate.h"

#include "certify/calibration.h"
#include "certify/certificate_store.h"
#include "certify/law_certificate.h"
#include "mechanisms/build.h"
#include "mechanisms/tem/tem.h"

namespace sotto {
namespace {

constexpr std::size_t kQuickGeneralWords = 400;  // O(n^3): within a second or two

// The store of a mechanism's certificate; empty if its law is of another kind.
std::optional<CertificateStore> store_of(const Mechanism& mechanism) {
  if (mechanism.info == nullptr || mechanism.info->law_request == nullptr) return std::nullopt;
  return CertificateStore(mechanism.space,
                          mechanism.info->law_request(mechanism.space->model(), mechanism.parameters));
}

std::optional<CertificateStore> store_of(const Setting& setting, const std::shared_ptr<const Model>& model) {
  if (setting.info->law_request == nullptr) return std::nullopt;
  const LawRequest request = setting.info->law_request(*model, setting.parameters);
  return CertificateStore(Space::make(model, request.metric), request);
}

CertifiedMechanism calibrated(const std::shared_ptr<const Model>& model, const LawRequest& request,
                              const Work& work) {
  const auto space = Space::make(model, request.metric);
  const CertificateStore store(space, request);
  std::optional<CalibratedLaw> found = store.load(work);
  const auto source = found ? CertificateSource::cached : CertificateSource::computed;
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
  return {.mechanism = std::move(mechanism), .certificate = certificate, .source = source};
}

}  // namespace

std::optional<Certificate> certify(const Mechanism& mechanism, const Work& work) {
  if (mechanism.words == nullptr) return std::nullopt;
  if (const ExponentialLaw* law = mechanism.words->exponential_law()) {
    return certify_tem(AllPairs(mechanism.space), *law, work).certificate;
  }
  // No distance is above 0, so that epsilon * d is 0 for all pairs, law or no law.
  const bool is_proven = mechanism.claim.status == Status::proven;
  if (is_proven && mechanism.space->has_one_row()) return Certificate{};
  return mechanism.space->size() <= kGeneralLimit ? certify_law(mechanism, work) : std::nullopt;
}

std::optional<Certificate> certify_again(const Mechanism& mechanism, const Work& work) {
  const ExponentialLaw* law = mechanism.words == nullptr ? nullptr : mechanism.words->exponential_law();
  if (law == nullptr) return certify(mechanism, work);
  const AllPairs pairs(mechanism.space);
  const CalibratedLaw certified{.law = *law, .certified = certify_tem(pairs, *law, work)};
  const Certificate& certificate = certified.certified.certificate;
  // What does not keep to its claim is no certificate of it.
  const auto store = store_of(mechanism);
  if (store && certificate.realised_epsilon <= mechanism.claim.epsilon) store->save(pairs, certified);
  return certificate;
}

std::optional<Certificate> cached_certificate(const Mechanism& mechanism, const Work& work) {
  const auto store = store_of(mechanism);
  if (!store) return std::nullopt;
  auto cached = store->load(work);
  return cached ? std::optional(std::move(cached->certified.certificate)) : std::nullopt;
}

void add_certificate(CertifiedMechanism& built, const Work& work) {
  if (built.certificate) return;
  built.source = CertificateSource::cached;
  built.certificate = cached_certificate(built.mechanism, work);
  if (built.certificate) return;
  built.certificate = certify_again(built.mechanism, work);
  built.source = built.certificate ? CertificateSource::computed : CertificateSource::none;
}

std::optional<StatedCertificate> stated_certificate(const Setting& setting,
                                                    const std::shared_ptr<const Model>& model) {
  const auto store = store_of(setting, model);
  return store ? store->stated() : std::nullopt;
}

void forget_certificate(const Setting& setting, const std::shared_ptr<const Model>& model) {
  if (const auto store = store_of(setting, model)) store->forget();
}

CertifiedMechanism build_mechanism(const Setting& setting, const std::shared_ptr<const Model>& model,
                                   const Work& work) {
  const MechanismInfo& info = *setting.info;
  if (info.law_request != nullptr) {
    const LawRequest request = info.law_request(*model, setting.parameters);
    if (is_searched(request.calibration)) {
      CertifiedMechanism out = calibrated(model, request, work);
      out.mechanism.info = &info;
      out.mechanism.parameters = setting.parameters;
      return out;
    }
  }
  CertifiedMechanism out{.mechanism = build_uncertified(setting, model)};
  const bool is_quick =
      model->size() <= (out.mechanism.words->exponential_law() ? kQuickWords : kQuickGeneralWords);
  if (is_quick) out.certificate = certify(out.mechanism, work);
  if (out.certificate) out.source = CertificateSource::computed;
  return out;
}

}  // namespace sotto
