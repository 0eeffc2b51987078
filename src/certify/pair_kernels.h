#pragma once
#include <array>
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

// The same from distances kept as numbers of 8 bits, in float32: for iterations whose result is judged by
// exact passes. Steps of padding may be anything, as its weight is 0.
//
// exp(-slope * step * k) of a step k is the product of two numbers, one for the upper and one for the lower
// four bits of k; each is looked up in a register.
struct StepTables {
  static constexpr std::size_t kHalf = 16;
  // Parts below exp(-40) count as exp(-40): such weights count for nothing, but stay in the range of float32.
  StepTables(double slope_per_step, double largest_exponent);
  alignas(64) std::array<float, kHalf> high;
  alignas(64) std::array<float, kHalf> low;
  float least;
};
struct RoughKernelStrip {
  const std::uint8_t* steps = nullptr;  // kStripRows rows of kPanel: distance / step, rounded
  const StepTables* tables = nullptr;
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
