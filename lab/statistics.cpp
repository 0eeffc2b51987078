#include "lab/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "lab/points.h"

namespace sotto::lab {

namespace {

// The 97.5% quantile of Student's t.
double student_quantile(std::size_t freedom) {
  constexpr std::array kTable = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646,
                                 2.3060,  2.2622, 2.2281, 2.2010, 2.1788, 2.1604, 2.1448,
                                 2.1314,  2.1199, 2.1098, 2.1009, 2.0930, 2.0860};
  if (freedom <= kTable.size()) return kTable[freedom - 1];
  // Cornish and Fisher, two terms: within 2e-4 from here on.
  constexpr double kNormal = 1.959964;
  const double nu = static_cast<double>(freedom);
  const double cube = kNormal * kNormal * kNormal;
  return kNormal + (cube + kNormal) / (4 * nu) +
         (5 * cube * kNormal * kNormal + 16 * cube + 3 * kNormal) / (96 * nu * nu);
}

double share_right(const ScoredClasses& scores, float threshold) {
  const auto above = [threshold](float score) { return score > threshold; };
  const auto hits = std::ranges::count_if(scores.positive, above) +
                    static_cast<std::ptrdiff_t>(scores.negative.size()) -
                    std::ranges::count_if(scores.negative, above);
  return static_cast<double>(hits) / static_cast<double>(scores.positive.size() + scores.negative.size());
}

}  // namespace

TrialMean trial_mean(std::span<const double> values) {
  TrialMean result{.mean = kNone, .interval = {kNone, kNone}, .trials = values.size()};
  if (values.empty()) return result;
  const double count = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  result.mean = sum / count;
  if (values.size() == 1) return result;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  const double half = student_quantile(values.size() - 1) * std::sqrt(squares / (count - 1) / count);
  result.interval = {result.mean - half, result.mean + half};
  return result;
}

double middle(const Quantity& quantity) {
  const Bounds ends = quantity.bracket.value_or(quantity.interval);
  return quantity.value.value_or((ends.low + ends.high) / 2);
}

double area_under_curve(const ScoredClasses& scores) {
  if (scores.positive.empty() || scores.negative.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::vector<float> negative(scores.negative.begin(), scores.negative.end());
  std::ranges::sort(negative);
  double wins = 0;
  for (const float score : scores.positive) {
    const auto [first, last] = std::equal_range(negative.begin(), negative.end(), score);
    wins += 0.5 * static_cast<double>((first - negative.begin()) + (last - negative.begin()));
  }
  return wins / (static_cast<double>(scores.positive.size()) * static_cast<double>(negative.size()));
}

double accuracy_at_zero(const ScoredClasses& scores) {
  return share_right(scores, 0);
}

double accuracy_at_median(const ScoredClasses& scores) {
  std::vector<float> all(scores.positive.begin(), scores.positive.end());
  all.insert(all.end(), scores.negative.begin(), scores.negative.end());
  if (all.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>((all.size() - 1) / 2);
  std::nth_element(all.begin(), middle, all.end());
  return share_right(scores, *middle);
}

}  // namespace sotto::lab
