#pragma once
#include "neighbours/nearest_bytes.h"

namespace sotto {

// Bound of what the kernel adds to X.Q (nearest_bytes.cpp).
constexpr std::int32_t kLargestSum = 1 << 29;

// Calls group.meet for every word of blocks [begin, end) that passes the test in nearest_bytes.cpp, and
// for others that pass its looser form for the group; begin and end are multiples of kBlocksPerStep. Integer
// products: every target meets with the same `dot`.
void scan_blocks(const ByteWords& words, std::size_t begin, std::size_t end, QueryGroup& group);

}  // namespace sotto
