#include "tune/tune.h"

#include "tune/run.h"

namespace sotto {
namespace {

constexpr int kOuterRounds = 8;
constexpr int kInnerRounds = 6;
constexpr int kInnerRoundsForCurves = 2;  // without constraints

std::optional<Tradeoff> best_of(const TuneRun& run, const Constraints& constraints) {
  const Choice choice = choose(run.points(), run.loss(), constraints);
  if (!choice.recommended) return std::nullopt;
  return tradeoff_of(run.points()[*choice.recommended], run.loss());
}

}  // namespace

TuneResult tune(TuneBench& bench, const TuneScope& scope, const Constraints& constraints, TuneStore* store,
                const Work& work) {
  std::vector<SkippedCandidate> skipped;
  const std::vector<Family> families = families_of(bench.model(), scope, skipped);
  const double natural = natural_epsilon(bench.model());
  std::size_t expected = 0;
  for (const Family& family : families) expected += family.has_epsilon ? kPointsOfFamily : 1;
  TuneRun run(bench, store, work);

  // All families together in each round: those with a law share one pass over the distances.
  const auto round = [&](auto&& epsilons_of) {
    std::vector<Candidate> wanted;
    for (const Family& family : families) {
      for (const double epsilon : epsilons_of(family)) wanted.push_back(family.at(epsilon));
    }
    run.measure(wanted, TuneRun::Stopping::early, expected);
    return !wanted.empty();
  };
  round([&](const Family& family) {
    return first_epsilons(family, natural, constraints.max_certified_epsilon);
  });
  for (int i = 0; i < kOuterRounds; ++i) {
    if (!round([&](const Family& family) { return outer_epsilons(family, run.curve(family), run.loss()); })) {
      break;
    }
  }
  const int inner = constraints.any() ? kInnerRounds : kInnerRoundsForCurves;
  for (int i = 0; i < inner; ++i) {
    const auto best = best_of(run, constraints);
    if (!round([&](const Family& family) {
          return inner_epsilons(family, run.curve(family), run.loss(), constraints, best);
        })) {
      break;
    }
  }
  return std::move(run).answer(constraints, std::move(skipped));
}

TuneResult tune_candidates(TuneBench& bench, std::span<const Candidate> candidates,
                           const Constraints& constraints, TuneStore* store, const Work& work) {
  TuneRun run(bench, store, work);
  run.measure(candidates, TuneRun::Stopping::never, candidates.size());
  return std::move(run).answer(constraints, {});
}

}  // namespace sotto
