#pragma once
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>

#include "model/distance_kernels.h"
#include "sotto/space.h"

namespace sotto {

// How a metric takes the vectors, and which vectors it refuses.
enum class Scaling {
  none,
  unit_length,  // Multiplied by 1 / |x|, so parallel vectors are one point. A zero vector is refused.
  unit_ball,    // Unchanged. The finish is given 1 - |x|^2 ("room"); a room below 1e-6 is refused.
};

// From sums to distances.
struct Finish {
  // Of one pair, for Space: the same bits for either order of the two vectors. `rooms` is the product of both
  // vectors' rooms, 1 unless the scaling is unit_ball.
  double (*pair)(PairSum sum, double rooms) = nullptr;
  void (*row)(const RowSums& sums) = nullptr;    // The same bits for many pairs.
  void (*panel)(const RowSums& sums) = nullptr;  // For AllPairs: whole panels, and other bits are allowed.
};

// One row of the table in metrics.cpp: everything the program knows of a metric. It must be a true metric
// (triangle inequality) that is 0 exactly where Space says that words share a row.
struct MetricInfo {
  std::string_view name;
  Scaling scaling = Scaling::none;
  CoordinateSum sum = CoordinateSum::squares;
  Finish finish = {};
  // Space::distance_error(): every finish is within (dim + error_units) 2^-53 d + absolute_error of the exact
  // distance d.
  double error_units = 0;
  double absolute_error = 0;
  // No exact distance is larger, in any model.
  double largest = std::numeric_limits<double>::infinity();
};

const MetricInfo& metric_info(Metric metric);
std::span<const MetricInfo> metric_table();

// Whether the distances are the Euclidean ones of the vectors as they are.
bool is_euclidean(const MetricInfo& info);

// 1 / |x| for unit_length, 1 - |x|^2 for unit_ball, each within 2.5 * 2^-53 of itself. Throws bad_data with
// the word's rank (from 1) if the vector is refused. Not for Scaling::none.
double scale_of(Scaling scaling, std::span<const float> vector, std::size_t rank);

}  // namespace sotto
