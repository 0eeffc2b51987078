#pragma once
#include <vector>

#include "lab/points.h"
#include "lab/privemb/plan.h"
#include "lab/privemb/words.h"
#include "sotto/quantity.h"

namespace sotto::lab {

// E_opt of the adversary who sees a word's released vector, knows the projection and holds every word of the
// vocabulary for equally likely: the share of words that the best guess misses. Exact posterior, drawn words.
Quantity release_error(const Releaser& releaser, const Model& model, std::uint64_t seed, unsigned threads);

struct PrivacyPoints {
  Points errors;  // privacy.csv: E_opt by series and epsilon
  Points equal;   // equal.csv: the epsilon at which a series has a target's E_opt
};
PrivacyPoints privacy_points(const Run& run);

// The series that are compared at equal E_opt.
std::vector<VectorSeries> compared_series(const Model& model, const PrivembPlan& plan);
// E_opt of the series that are private, over the epsilons of experiment 3, and the epsilons of equal E_opt
// for those that are `compared`.
void measure_privacy(const PrivembLab& lab, const std::vector<VectorSeries>& series,
                     const std::vector<VectorSeries>& compared, PrivacyPoints& points);
// The latter as points of experiments, for one target.
std::vector<WordTaskPoint> equal_points(const std::vector<VectorSeries>& compared,
                                        const PrivacyPoints& points, double target);

}  // namespace sotto::lab
