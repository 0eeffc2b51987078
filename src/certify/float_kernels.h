#pragma once
#include <cstddef>
#include <cstdint>

namespace sotto {

// The inner loops of FloatPairs (float_pairs.h): all pairs of two panels of words in float32, vectorised by
// Highway and chosen at run time. The proof of the error bounds is in docs/proofs/float-pairs.md.

inline constexpr std::size_t kFloatPanel = 256;  // words of a panel
inline constexpr std::size_t kFloatStrip = 4;    // rows that share the reading of the columns
inline constexpr std::size_t kFloatGroup = 64;   // columns that fit into the first-level cache
inline constexpr std::size_t kFloatChunk = 64;   // coordinates whose products are added up in one chain

// The squared distance of a row x and a column y is computed as (-2 x y + |y|^2) + |x|^2.
struct FloatTile {
  std::size_t dim = 0;
  const float* rows = nullptr;     // -2 x: [strip][dim][kFloatStrip]
  const float* columns = nullptr;  // y: [group][dim][kFloatGroup]
  const float* row_squares = nullptr;
  const float* column_squares = nullptr;
};

// Of every pair of a tile: exp(-slope * distance), weighted and summed both ways, and the smallest and
// largest distance of each word. Pairs nearer than row_reach + column_reach count for nothing here: their
// places are written down for the caller. Padding has an infinite reach, so that all its pairs are such.
struct FloatSums {
  FloatTile tile = {};
  const float* row_reach = nullptr;
  const float* column_reach = nullptr;
  const float* row_weights = nullptr;
  const float* column_weights = nullptr;
  float slope = 0;            // -slope * log2(e)
  float lowest = 0;           // of the exponent to base 2; at least -125
  float* row_sums = nullptr;  // kFloatPanel of each; +=
  float* column_sums = nullptr;
  float* row_nearest = nullptr;  // lowered
  float* column_nearest = nullptr;
  float* row_farthest = nullptr;  // raised
  float* column_farthest = nullptr;
};
// Writes row * kFloatPanel + column of each near pair to `near` (kFloatPanel^2 places); returns their number.
std::size_t add_float_sums(const FloatSums& sums, std::uint16_t* near);

// Of every pair of a tile, whether its squared distance lies below low[strip] or above high[strip]. Padding
// has a square of NaN and is never found.
struct FloatSearch {
  FloatTile tile = {};
  const float* low = nullptr;
  const float* high = nullptr;
};
struct FloatHit {
  std::uint16_t place = 0;  // row * kFloatPanel + column
  float square = 0;
};
// Writes at most kFloatPanel^2 hits; returns their number.
std::size_t find_float_pairs(const FloatSearch& search, FloatHit* found);

// exp2 as add_float_sums computes it, for tests: out[i] = 2^in[i] for in[i] from -125 to 0; count is a
// multiple of 16. The relative error is at most kExp2Units * 2^-24.
inline constexpr double kExp2Units = 16;
void float_exp2(const float* in, float* out, std::size_t count);

}  // namespace sotto
