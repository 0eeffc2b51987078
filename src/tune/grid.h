#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tune/bench.h"
#include "tune/frontier.h"

namespace sotto {

// Which mechanisms are tried when nobody names settings.
struct TuneScope {
  std::vector<std::string> mechanisms = {};           // empty: all proven ones
  std::vector<std::string> calibrations = {"paper"};  // of tem
};

// A mechanism with everything fixed but epsilon.
struct Family {
  Candidate base;
  bool has_epsilon = true;
  double floor = 0;  // epsilons are above it; the grid is geometric in epsilon - floor

  [[nodiscard]] Candidate at(double epsilon) const;
};

// From the registry: the proven word mechanisms, vickrey with t = 0.25, 0.5, 0.75 and 1, tem with each
// calibration, and `identity` as the other end of the frontier. What does not fit the model is in `skipped`.
// Throws Error(usage) for a name that is no word mechanism.
std::vector<Family> families_of(const std::shared_ptr<const Model>& model, const TuneScope& scope,
                                std::vector<SkippedCandidate>& skipped);

// Where the laws of a space change: ln n over the median distance of a word to its nearest neighbour.
double natural_epsilon(const std::shared_ptr<const Model>& model);
// Three digits, so that the setting that was measured can be typed (five above a floor).
double rounded_epsilon(const Family& family, double epsilon);

// The settings of one family, by epsilon.
using Curve = std::vector<const TunePoint*>;

// The first look, by factors of 2 around `natural`, and `wanted` if there is one.
std::vector<double> first_epsilons(const Family& family, double natural, std::optional<double> wanted);
// Further out, as long as E_opt or L still changes at that end.
std::vector<double> outer_epsilons(const Family& family, const Curve& curve, UtilityLoss loss);
// Between neighbours of which one keeps the constraints and the other does not, if something between them may
// be better than `best`; without constraints, where E_opt jumps.
std::vector<double> inner_epsilons(const Family& family, const Curve& curve, UtilityLoss loss,
                                   const Constraints& constraints, const std::optional<Tradeoff>& best);

}  // namespace sotto
