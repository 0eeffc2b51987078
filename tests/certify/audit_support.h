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

namespace sotto::test {

using Row = std::vector<double>;  // probabilities of all outputs

inline Row normalised(Row weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  return weights;
}

class OfRows final : public WordMechanism {
 public:
  explicit OfRows(const std::vector<Row>& rows) : sums_(rows) {
    for (Row& row : sums_) std::partial_sum(row.begin(), row.end(), row.begin());
  }
  void sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& rng) const override {
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = word_id(choose_by_sums(rng, sums_[index_of(in[i])]));
  }

 private:
  std::vector<Row> sums_;
};

class OfRule final : public WordMechanism {
 public:
  explicit OfRule(std::function<WordId(WordId, Rng&)> rule) : rule_(std::move(rule)) {}
  void sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& rng) const override {
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = rule_(in[i], rng);
  }

 private:
  std::function<WordId(WordId, Rng&)> rule_;
};

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
