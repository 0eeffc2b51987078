#pragma once
#include <cstddef>

namespace sotto {

// Sums over whole padded rows (`stride` a multiple of 16), in double, without fused
// multiply-add: partial sum i takes the elements j = i mod 16 in order, and the 16 partial sums are
// added as a fixed tree (i with i+8, then i+4, i+2, i+1). Every SIMD width gives the same bits, and
// swapping a and b only flips signs that are squared away.

struct ScaledRow {
  const float* values;
  double scale;
};
struct ScaledSums {
  double difference;  // |sa a - sb b|^2
  double sum;         // |sa a + sb b|^2
};

double squared_distance(const float* a, const float* b, std::size_t stride);
double absolute_sum(const float* a, const float* b, std::size_t stride);      // sum of |a_j - b_j|
double absolute_maximum(const float* a, const float* b, std::size_t stride);  // max of |a_j - b_j|
ScaledSums scaled_sums(ScaledRow a, ScaledRow b, std::size_t stride);
// out[i] = squared distance of `from` and row i of `rows`.
void squared_distances(const float* from, const float* rows, std::size_t count, std::size_t stride,
                       double* out);
// The same for a query in double (a noisy vector), padded with zeros to `stride`.
void squared_distances(const double* from, const float* rows, std::size_t count, std::size_t stride,
                       double* out);

}  // namespace sotto
