#pragma once
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "sotto/space.h"

namespace sotto {

using WordPair = std::pair<WordId, WordId>;  // the smaller id first

// The smallest (D0) and the largest distance (D) between two words of different rows, exactly, each with the
// first pair that attains it. In angular and chord D0 may be 0: two directions that are closer than a double
// can tell. Without two rows: infinity and 0, and the pairs mean nothing.
struct Extremes {
  double smallest = std::numeric_limits<double>::infinity();
  double largest = 0;
  WordPair nearest{};
  WordPair farthest{};
};

// All pairs, O(n^2 dim), on `threads` threads (0: one per core); the answer does not depend on their number.
Extremes find_extremes(const Space& space, unsigned threads);

// Words that share a row, as pairs of the row's first word and a later one; at most `limit` of them.
std::vector<WordPair> shared_rows(const Space& space, std::size_t limit);

}  // namespace sotto
