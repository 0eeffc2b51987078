#pragma once
#include <cstddef>
#include <cstdint>

#include "model/distance_kernels.h"

namespace sotto {

// The inner loops over pairs of words whose distances are known, vectorised by Highway and chosen at run
// time. Distances come in strips of kStripRows rows against a panel of kPanel (model/distance_kernels.h).

// exp(-slope * min(d, gamma)) of every pair of a strip, weighted and summed both ways. Negative distances
// stand for padding, whose weight is 0.
struct KernelStrip {
  const double* distances = nullptr;
  double slope = 0;
  double gamma = 0;
  const double* row_weights = nullptr;
  const double* panel_weights = nullptr;
  double* row_sums = nullptr;    // += sum over the panel of panel weight * kernel
  double* panel_sums = nullptr;  // += sum over the rows of row weight * kernel; null: not wanted
};
void add_kernel(const KernelStrip& strip);

// The same from distances kept as 16-bit numbers, in float32: for iterations whose result is judged by exact
// passes.
struct RoughKernelStrip {
  const std::uint16_t* steps = nullptr;  // kStripRows rows of kPanel: distance / step, rounded
  double step = 0;
  double slope = 0;
  double gamma = 0;
  const float* row_weights = nullptr;
  const float* panel_weights = nullptr;
  double* row_sums = nullptr;
  double* panel_sums = nullptr;  // null: not wanted
};
void add_rough_kernel(const RoughKernelStrip& strip);

// Pairs that may beat what was found so far. The loss of a pair is
//   slope * min(d, gamma) + |row log - panel log| + margin,
// and its epsilon is (loss - allowance) / (distance_factor * d - distance_margin), or 0 if that is negative.
inline constexpr std::size_t kBands = 64;
struct LossStrip {
  const double* distances = nullptr;  // negative: padding, passed over. A row's pair with itself may be found
  double slope = 0;
  double gamma = 0;
  const double* row_logs = nullptr;  // ln Z
  const double* panel_logs = nullptr;
  double margin = 0;
  double allowance = 0;
  double distance_factor = 1;
  double distance_margin = 0;
  double ratio = 0;               // a pair counts whose epsilon reaches this,
  const double* bands = nullptr;  // or that of its band, the one of number d * bands_per_unit,
  double bands_per_unit = 0;
  double loss = 0;                // or whose loss reaches this
  double* row_nearest = nullptr;  // lowered to the smallest positive distance
  double* panel_nearest = nullptr;
  double* largest_distance = nullptr;  // raised
};
// Writes row * kPanel + column of each such pair to `found` (kStripRows * kPanel places); returns their
// number.
std::size_t find_losses(const LossStrip& strip, std::uint16_t* found);

}  // namespace sotto
