#pragma once
#include <cstddef>
#include <span>

namespace sotto {

// Passes over one value for each word, vectorised by Highway and chosen at run time. Sums are in double and
// added up in an order that depends on the SIMD width, never on threads. Spans of one call have one size.

double sum_of(std::span<const float> values);
double dot_product(std::span<const float> a, std::span<const float> b);
// out = a * b; returns the sum of out.
double multiply(std::span<const float> a, std::span<const float> b, std::span<float> out);
void scale(std::span<float> values, float factor);

inline constexpr std::size_t kPeakBlock = 64;
// out[b] is the largest of the values from b * kPeakBlock to the next block; ceil(size / kPeakBlock) blocks.
void block_peaks(std::span<const float> values, std::span<float> out);

}  // namespace sotto
