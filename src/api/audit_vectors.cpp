// The audit of a mechanism that releases vectors.
#include "certify/audit_vectors.h"

#include <algorithm>

#include "api/audit_parts.h"
#include "sotto/error.h"
#include "sotto/forecast.h"

namespace sotto::api {

namespace {

constexpr std::size_t kPairs = 20;

// About half a minute: a draw multiplies a vector by the projection and makes noise.
std::uint32_t usual_draws(const VectorMechanism& vectors) {
  constexpr double kOperations = 2e9;
  constexpr double kNoise = 100;  // of one number, in products
  const auto m = static_cast<double>(vectors.output_dim());
  const double cost = m * (static_cast<double>(vectors.input_dim()) + kNoise);
  return static_cast<std::uint32_t>(std::clamp(kOperations / cost, 4000.0, 50'000.0));
}

// For the pair that claims least.
std::optional<double> shortfall(const AuditAnswer& answer, const std::vector<AuditPair>& pairs,
                                std::size_t dim) {
  const AuditPair* least = nullptr;
  for (const AuditPair& pair : pairs) {
    if (!pair.exact_loss || !(pair.claimed_loss > 0)) continue;
    if (least == nullptr || pair.claimed_loss < least->claimed_loss) least = &pair;
  }
  if (least == nullptr) return std::nullopt;
  const auto hypotheses = static_cast<double>(std::max<std::size_t>(1, answer.result.hypotheses));
  const std::size_t tested = answer.draws - answer.draws / 3;
  return detectable_shortfall({.dim = dim,
                               .claimed_loss = least->claimed_loss,
                               .exact_loss = *least->exact_loss,
                               .tested_draws = static_cast<double>(tested),
                               .error = answer.result.level / 4 / hypotheses});  // as certify/audit.cpp
}

}  // namespace

AuditAnswer audit_vectors(const AuditRequest& request, Mechanism mechanism, const Work& work) {
  if (request.deniability_words.value_or(0) > 0) {
    throw Error(ErrorCode::usage,
                "`deniability` counts words, and this mechanism releases vectors: leave it out");
  }
  if (!mechanism.space) mechanism.space = Space::make(request.model, Metric::euclidean);
  const VectorMechanism& vectors = *mechanism.vectors;
  const AuditClaim claim = audit_claim(mechanism);
  Rng rng = audit_random(request, 0).stream(1);
  const auto chosen = choose_pairs(request, claim,
                                   {.pairs = request.pairs.value_or(kPairs),
                                    .worst = most_stretched_pair(vectors, *request.model, rng),
                                    .threads = work.threads});
  AuditAnswer answer{.subject = setting_text(mechanism),
                     .space = mechanism.space,
                     .claimed_epsilon = claim.epsilon,
                     .draws = request.draws.value_or(usual_draws(vectors))};
  VectorSubject subject(vectors, *request.model, chosen, audit_random(request, 1));
  run_audit(answer, subject, subject.pairs(),
            {.draws = answer.draws, .level = request.level, .work = work.at("auditing")});
  answer.noise_shortfall = shortfall(answer, subject.pairs(), vectors.output_dim());
  if (const auto expected = vector_forecast(mechanism, *request.model, work.threads)) {
    answer.expected_unchanged = expected->unchanged;
  }
  answer.mechanism = std::move(mechanism);
  return answer;
}

}  // namespace sotto::api
