#pragma once
#include <optional>
#include <vector>

#include "tune/bench.h"
#include "tune/frontier.h"
#include "tune/grid.h"
#include "tune/store.h"

namespace sotto {

// Of a family with an epsilon, about as many settings are measured in a search.
inline constexpr std::size_t kPointsOfFamily = 10;

struct TuneResult {
  std::vector<TunePoint> points = {};  // family after family, by epsilon
  std::vector<SkippedCandidate> skipped = {};
  std::vector<std::size_t> frontier = {};
  Choice choice = {};
};

// Over the families of the scope: E_opt against L, on a grid of epsilons that grows where something changes
// and is refined around the constraints. Points are kept in `store`, if there is one, and taken from it.
TuneResult tune(TuneBench& bench, const TuneScope& scope, const Constraints& constraints, TuneStore* store,
                const Work& work);

// Exactly these settings, with all draws each.
TuneResult tune_candidates(TuneBench& bench, std::span<const Candidate> candidates,
                           const Constraints& constraints, TuneStore* store, const Work& work);

// What Algorithm 2 of vickrey-2021 compares, as estimates without intervals. error: E of eq. 4, from draws
// its plug-in. loss: L of eq. 2. Empty where one of them was not measured.
struct PrintedTradeoff {
  double error = 0;
  double loss = 0;
};
std::optional<PrintedTradeoff> printed_tradeoff(const TunePoint& point, UtilityLoss loss);

// Line 3 of the algorithm doubles epsilon for ever if L stays at C or above. This search gives up after that
// many doublings and chooses nothing.
inline constexpr int kMostDoublings = 30;

// Algorithm 2 of vickrey-2021 as printed:
// 1. Double epsilon until L of vickrey with t = 0 is below max_loss.
// 2. At that epsilon try t = 0.05, 0.1, ..., 1 and choose the largest E whose L is at most max_loss.
// It decides on printed_tradeoff(), whatever the intervals say. `choice` holds its answer, which need not be
// the best of `points`.
struct PaperSearch {
  double max_loss = 0;
  double first_epsilon = 1;
  ParameterTexts parameters = {};  // of vickrey besides epsilon and t, such as exclude-input
};
TuneResult tune_as_printed(TuneBench& bench, const PaperSearch& search, TuneStore* store, const Work& work);

}  // namespace sotto
