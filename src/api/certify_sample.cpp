#include "api/certify_sample.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "certify/audit.h"
#include "measure/deniability.h"
#include "sotto/forecast.h"

namespace sotto::api {

namespace {

constexpr std::uint64_t kSeed = 20210607;  // any fixed number: nothing private is drawn
constexpr std::size_t kMostWordsForExtremes = 10'000;

// Draws that take a few seconds: one is a search of the model where the law is not known.
std::uint32_t affordable_draws(const Space& space, std::size_t pairs) {
  constexpr double kBudget = 2e11;  // multiplications
  const double search = static_cast<double>(space.size()) * static_cast<double>(space.model().dim());
  const double draws = kBudget / (search * 2 * static_cast<double>(pairs));
  return static_cast<std::uint32_t>(std::clamp(draws, 100.0, 20'000.0));
}

SampledBound from_law(const std::vector<AuditPair>& pairs) {
  SampledBound bound{.pairs = pairs.size()};
  for (const AuditPair& pair : pairs) {
    if (!pair.exact_loss || *pair.exact_loss == 0) continue;
    const double epsilon =
        pair.distance > 0 ? *pair.exact_loss / pair.distance : std::numeric_limits<double>::infinity();
    if (epsilon <= bound.epsilon) continue;
    bound.epsilon = epsilon;
    bound.pair = {word_id(pair.first), word_id(pair.second)};
  }
  return bound;
}

SampledBound from_draws(const Mechanism& mechanism, const std::vector<AuditPair>& pairs, const Work& work) {
  MechanismSubject subject(*mechanism.words, mechanism.space->model(),
                           RandomSource::seeded_not_private(kSeed));
  AuditOptions options{.draws = affordable_draws(*mechanism.space, pairs.size()), .work = work};
  options.distance = [space = mechanism.space](AuditWord output, AuditWord word) {
    return space->distance(word_id(output), word_id(word));
  };
  const AuditResult result = audit(subject, pairs, options);
  SampledBound bound{.epsilon = result.realised_epsilon_bound,
                     .pairs = pairs.size(),
                     .draws = options.draws,
                     .level = result.level};
  if (result.strongest) {
    bound.pair = {word_id(result.strongest->pair.first), word_id(result.strongest->pair.second)};
  }
  return bound;
}

// The mean over words spread evenly over the frequency order, four draws each.
double unchanged_share(const Mechanism& mechanism) {
  constexpr std::size_t kWords = 500;
  constexpr std::size_t kDraws = 4;
  std::vector<WordId> in;
  for (const WordId word : deniability_words(mechanism.space->model(), kWords))
    in.insert(in.end(), kDraws, word);
  std::vector<WordId> out(in.size());
  Rng rng = Rng::seeded_not_private(kSeed, 1);
  mechanism.words->sample_batch(in, out, rng);
  std::size_t same = 0;
  for (std::size_t i = 0; i < in.size(); ++i) same += in[i] == out[i] ? 1U : 0U;
  return static_cast<double>(same) / static_cast<double>(in.size());
}

}  // namespace

void add_samples(CertifyAnswer& answer, const Work& work) {
  const Mechanism& mechanism = answer.mechanism;
  const Space& space = *mechanism.space;
  if (space.size() <= kMostWordsForExtremes) answer.extremes = find_extremes(space, work.threads);
  // One public text for every word (redact) tells nothing.
  if (!mechanism.token.empty()) {
    answer.estimated_unchanged = 0;
    return;
  }
  answer.estimated_unchanged = unchanged_share(mechanism);
  const bool has_law = mechanism.words->log_law(word_id(0)).has_value();
  const AuditClaim claim = audit_claim(mechanism);
  Rng rng = Rng::seeded_not_private(kSeed);
  std::vector<AuditPair> pairs =
      choose_audit_pairs(claim, {.pairs = has_law ? 24U : 10U, .threads = work.threads}, rng);
  if (pairs.empty()) return;
  if (has_law) {
    add_exact_losses(pairs, *mechanism.words, work);
    answer.sampled = from_law(pairs);
  } else {
    answer.sampled = from_draws(mechanism, pairs, work);
  }
}

}  // namespace sotto::api
