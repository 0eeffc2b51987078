#include "neighbours/head.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace sotto {

Head build_head(const Space& space, WordId word, std::size_t length, std::vector<double>& scratch) {
  const std::size_t n = space.size();
  length = std::min(length, n);
  scratch.resize(n);
  space.distances_from(word, scratch);

  // The length + 1 nearest so far, the farthest on top. Words come in index order, so one that is as far as
  // the top stays behind it. Few of n words displace the top, which is why this beats a selection over all of
  // them.
  using Entry = std::pair<double, WordId>;
  const std::size_t kept = std::min(length + 1, n);
  std::vector<Entry> nearest;
  nearest.reserve(kept);
  for (std::size_t y = 0; y < kept; ++y) nearest.emplace_back(scratch[y], word_id(y));
  std::make_heap(nearest.begin(), nearest.end());
  for (std::size_t y = kept; y < n; ++y) {
    if (scratch[y] >= nearest.front().first) continue;
    std::pop_heap(nearest.begin(), nearest.end());
    nearest.back() = {scratch[y], word_id(y)};
    std::push_heap(nearest.begin(), nearest.end());
  }
  std::sort_heap(nearest.begin(), nearest.end());

  Head head{.words = {},
            .distances = {},
            .beyond = length < n ? nearest.back().first : std::numeric_limits<double>::infinity()};
  head.words.reserve(length);
  head.distances.reserve(length);
  for (std::size_t i = 0; i < length; ++i) {
    head.words.push_back(nearest[i].second);
    head.distances.push_back(nearest[i].first);
  }
  return head;
}

}  // namespace sotto
