#pragma once
#include <span>
#include <vector>

#include "html/histogram.h"

namespace sotto::html {

struct BinRule {
  int about = 30;  // bins
  Axis::Scale scale = Axis::Scale::linear;
  enum class Height { count, share } height = Height::count;
};

// A histogram of the values: round, equal bins (equal ratios on a logarithmic axis); whole numbers are never
// split into bins narrower than 1. A bin has its lower end and not its upper one; the last one has both.
// Values with no place on the axis are counted in a note. The caller sets title and labels.
Histogram histogram_of(std::span<const double> values, const BinRule& rule);

// Vertical lines at quantiles (nearest rank) of the values that are not NaN, labelled "5%", "median", "95%".
std::vector<ReferenceLine> quantile_lines(std::span<const double> values, std::span<const double> shares);

}  // namespace sotto::html
