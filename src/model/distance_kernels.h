#pragma once
#include <cstddef>
#include <span>

namespace sotto {

// What every metric is made from: a sum over the coordinates of two vectors, and a finish that turns the sum
// into a distance (metrics.h). All loops are vectorised by Highway and chosen at run time.
//
// A new sum is an enumerator here, and a struct and a case in distance_kernels.cpp. Each sum must be within
// (dim + 2) 2^-53 of the exact one, relatively, in any order of the coordinates.
enum class CoordinateSum {
  squares,           // sum of (x_j - y_j)^2
  absolutes,         // sum of |x_j - y_j|
  maxima,            // largest |x_j - y_j|
  squares_and_sums,  // squares; and as `totals` the sum of (x_j + y_j)^2
};

struct Vectors {
  const float* values = nullptr;    // each padded with zeros to the stride, a multiple of 16
  const double* factors = nullptr;  // one a vector, which is multiplied by it first; null: none is
};
struct PairSum {
  double value;
  double total;  // 0 unless the sum has totals
};

// A strip of kStripRows words against a panel of kPanel words, whose distances fit into the first-level
// cache.
inline constexpr std::size_t kStripRows = 4;
inline constexpr std::size_t kPanel = 256;
struct StripInput {
  std::size_t dim = 0;
  const double* rows = nullptr;   // [dim][kStripRows]
  const double* panel = nullptr;  // [dim][kPanel]
};

// Totals are written only by sums that have them.
//
// The distances of Space, `pair` and `row`, are doubles without fused multiply-add: partial sum i takes the
// elements j = i mod 16 in order, and the 16 partial sums are added as a fixed tree (i with i+8, then i+4,
// i+2, i+1). Every SIMD width gives the same bits, and so does swapping the two vectors. In `strip` the order
// is another, and multiply-add may be fused.
struct SumKernels {
  // Of the first of `a` and the first of `b`; either both have factors or neither.
  PairSum (*pair)(Vectors a, Vectors b, std::size_t stride);
  // values[i] and totals[i]: of the first of `from` and number i of `others`.
  void (*row)(Vectors from, Vectors others, std::size_t stride, std::span<double> values, double* totals);
  // kStripRows rows of kPanel values and totals.
  void (*strip)(const StripInput& input, double* values, double* totals);
};
// For this machine.
const SumKernels& sum_kernels(CoordinateSum sum);

// squares, without factors: of `from` and row i of `rows`.
void squared_distances(const float* from, const float* rows, std::size_t count, std::size_t stride,
                       double* out);
// The same for a query in double (a noisy vector), padded with zeros to `stride`.
void squared_distances(const double* from, const float* rows, std::size_t count, std::size_t stride,
                       double* out);

// The sums of one vector with several others, on their way to distances.
struct RowSums {
  std::span<double> values;        // replaced by the distances
  const double* totals = nullptr;  // of a sum that has them
  // 1 - |x|^2 of the vector and of the others, which metrics of the unit ball need (metrics.h).
  double own_room = 1;
  const double* rooms = nullptr;  // null: all 1
};

// Finishes in the vectorised mathematics of Highway (3 units in the last place), for whole panels: the number
// of values is a multiple of 8.
void square_roots(const RowSums& sums);
void angles(const RowSums& sums);                // 2 atan(sqrt(value / total))
void hyperbolic_distances(const RowSums& sums);  // 2 asinh(sqrt(value / (room * room)))

}  // namespace sotto
