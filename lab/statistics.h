#pragma once
#include <cstddef>
#include <span>

#include "sotto/quantity.h"

namespace sotto::lab {

// Mean of independent trials with its 95% interval (Student's t). One trial: no interval (NaN ends).
struct TrialMean {
  double mean = 0;
  Bounds interval = {};
  std::size_t trials = 0;
};
TrialMean trial_mean(std::span<const double> values);

// The value of a quantity, or the middle of its bounds where only these are known.
double middle(const Quantity& quantity);

// Scores of what belongs to a class and of what does not.
struct ScoredClasses {
  std::span<const float> positive;
  std::span<const float> negative;
};
// P(a positive scores above a negative), a tie counting one half. NaN if a class is empty.
double area_under_curve(const ScoredClasses& scores);
// Share on the right side of 0 (a score of 0 counts as negative).
double accuracy_at_zero(const ScoredClasses& scores);
// The same at the median of all scores: what a threshold fitted on unlabelled scores gives.
double accuracy_at_median(const ScoredClasses& scores);

}  // namespace sotto::lab
