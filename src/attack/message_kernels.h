#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace sotto {

// Documents that are attacked in lockstep. One read of the language model serves all of them, and their
// messages lie side by side: lane l of word w is message[w * kLanes + l].
inline constexpr std::size_t kLanes = 8;
using LaneSums = std::array<double, kLanes>;

// A matrix by rows, and a product of two vectors that is added to it.
struct SparseRows {
  const std::uint64_t* begins;  // rows + 1
  const std::uint32_t* others;  // the column of each entry
  const float* values;
  const float* side;  // by row: what multiplies LaneSums of the call
  std::size_t rows;
};

// out[r][l] = max(0, sum over entries e of row r of values[e] * in[others[e]][l] + side[r] * scale[l]).
// Sums are in double: values may be negative and nearly cancel.
void sparse_product(const SparseRows& matrix, const float* in, const LaneSums& scale, float* out);

// message[w][l] *= columns[l][w]; a lane without a column (null) becomes 0. Returns the sums over words.
LaneSums times_columns(float* message, const std::array<const float*, kLanes>& columns, std::size_t words);

// Sums over words of message[w][l] * weights[w].
LaneSums weighted_sums(const float* message, const float* weights, std::size_t words);

// message[w][l] *= factors[l].
void scale_lanes(float* message, const LaneSums& factors, std::size_t words);

// out[i] = exp(-slope * min(distances[i], gamma) - logs[i] - shift), and 0 below 1e-30. Relative error below
// 2e-5.
struct ExponentialColumn {
  const double* distances;
  const float* logs;
  double slope;
  double gamma;
  double shift;
  std::size_t words;
};
void exponential_column(const ExponentialColumn& column, float* out);

}  // namespace sotto
