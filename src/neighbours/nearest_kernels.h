#pragma once
#include "neighbours/nearest_bytes.h"

namespace sotto {

struct ByteRow {
  double squared_norm;      // |x'|^2
  double squared_residual;  // |x' - scale * out|^2
};
// x' = unit * (row - centre), out = x' / scale rounded and cut to [-127, 127]; `stride` values each.
// The sums may differ in the last bits between SIMD targets.
struct ByteScale {
  double unit, scale;
};
ByteRow round_to_bytes(const float* row, const float* centre, std::size_t stride, ByteScale by,
                       std::int8_t* out);

// Bound of what the kernel adds to X.Q (nearest_bytes.cpp).
constexpr std::int32_t kLargestSum = 1 << 29;

// Calls group.meet for every word of blocks [begin, end) that passes the test in nearest_bytes.cpp, and
// for others that pass its looser form for the group; begin and end are multiples of kBlocksPerStep. Integer
// products: every target meets with the same `dot`.
void scan_blocks(const ByteWords& words, std::size_t begin, std::size_t end, QueryGroup& group);

}  // namespace sotto
