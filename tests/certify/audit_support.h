#pragma once
// Mechanisms with a law written down, or given as a rule, and an audit of them from end to end.
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "certify/audit.h"
#include "core/uniform.h"
#include "sotto/mechanism.h"
#include "support/models.h"
#include "support/planted.h"

namespace sotto::test {

struct AuditSetting {
  double epsilon = 1;
  std::uint32_t draws = 30'000;
  std::size_t pairs = 30;
  double level = 1e-6;
  std::uint64_t seed = 1;
  unsigned threads = 2;
};

inline OutputDistance distance_of(std::shared_ptr<const Space> space) {
  return [space = std::move(space)](AuditWord output, AuditWord word) {
    return output < space->size() && word < space->size() ? space->distance(word_id(output), word_id(word))
                                                          : std::nan("");
  };
}

inline AuditResult audit_of(const WordMechanism& mechanism, const AuditClaim& claim,
                            const std::vector<AuditPair>& pairs, const AuditSetting& setting) {
  MechanismSubject subject(mechanism, claim.space->model(), RandomSource::seeded_not_private(setting.seed));
  return audit(subject, pairs,
               {.draws = setting.draws,
                .level = setting.level,
                .distance = distance_of(claim.space),
                .work = {.threads = setting.threads}});
}

// Pairs chosen as the command does.
inline AuditResult audit_of(const WordMechanism& mechanism, const AuditClaim& claim,
                            const AuditSetting& setting) {
  Rng rng = Rng::seeded_not_private(setting.seed + 1000);
  return audit_of(mechanism, claim, choose_audit_pairs(claim, {.pairs = setting.pairs}, rng), setting);
}

inline AuditResult audit_of(const WordMechanism& mechanism, const std::shared_ptr<const Model>& model,
                            const AuditSetting& setting) {
  return audit_of(mechanism, audit_claim(Space::make(model, Metric::euclidean), setting.epsilon), setting);
}

}  // namespace sotto::test
