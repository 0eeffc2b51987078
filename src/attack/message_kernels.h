#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace sotto {

// Documents that are attacked in lockstep. One read of the language model serves all of them, and their
// messages lie side by side: lane l of word w is message[w * kLanes + l]. A word's lanes fill one cache line.
inline constexpr std::size_t kLanes = 16;
using LaneSums = std::array<double, kLanes>;
using LaneColumns = std::array<const float*, kLanes>;

// A matrix by rows, and a product of two vectors that is added to it.
struct SparseRows {
  const std::uint64_t* begins;  // rows + 1
  const std::uint32_t* others;  // the column of each entry
  const float* values;
  const float* side;  // by row: what multiplies MessageStep::rank_one
};

// One step of a message along documents, for all lanes.
//   product[r][l] = max(0, sum over entries e of row r of values[e] * in[others[e]][l] + side[r] *
//   rank_one[l]) carried[r][l] = product[r][l] * factors[l] + fresh[r] * begins[l]
// Sums are in double: values may be negative and nearly cancel. A lane in which a document begins here has
// the factor 0 and takes `fresh` instead. Factors keep messages in float's range without logarithms.
struct MessageStep {
  SparseRows matrix = {};
  const float* in = nullptr;  // null: every product is 0
  LaneSums rank_one = {};
  LaneSums factors = {};
  const float* fresh = nullptr;  // by row; null: 1 everywhere
  LaneSums begins = {};          // 1 or 0
  LaneColumns columns = {};      // none is null
  const float* weights = nullptr;
};

struct RowRange {
  std::size_t first = 0;
  std::size_t last = 0;
};

// What a step adds up over its rows.
struct StepSums {
  LaneSums plain = {};     // of the new message
  LaneSums weighted = {};  // of the new message times MessageStep::weights
  LaneSums beliefs = {};   // of the posteriors; only backward_rows
  void add(const StepSums& other);
};

// Where a message goes. Messages are aligned to 64 bytes. `kept`, if it is not null, gets a copy past the
// caches, so that messages which are kept do not drive out the ones that are read at random next.
struct MessagePlaces {
  float* out = nullptr;
  float* kept = nullptr;
};
// out[r][l] = carried[r][l] * columns[l][r], for the rows of `range`.
StepSums forward_rows(const MessageStep& step, const RowRange& range, const MessagePlaces& places);

// The same for a message that goes backwards. Also the posteriors, not normalised:
// beliefs[l][r] = carried[r][l] * alpha[r][l] * alpha_factors[l].
struct Beliefs {
  const float* alpha = nullptr;
  LaneSums alpha_factors = {};
  std::array<float*, kLanes> out = {};
};
StepSums backward_rows(const MessageStep& step, const RowRange& range, const Beliefs& beliefs, float* out);

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
// The largest exponent of such a column: the `shift` that scales it to 1.
double largest_exponent(const ExponentialColumn& column);

}  // namespace sotto
