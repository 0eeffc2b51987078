#include "neighbours/head.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace sotto {

Head build_head(const Space& space, WordId word, std::size_t length, std::vector<double>& scratch) {
  const std::size_t n = space.size();
  length = std::min(length, n);
  scratch.resize(n);
  space.distances_from(word, scratch);
  const auto nearer = [&](WordId a, WordId b) {
    const double x = scratch[index_of(a)];
    const double y = scratch[index_of(b)];
    return x != y ? x < y : a < b;
  };
  std::vector<WordId> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = word_id(i);
  if (length < n)
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(length), order.end(), nearer);
  const double beyond =
      length < n ? scratch[index_of(order[length])] : std::numeric_limits<double>::infinity();
  order.resize(length);
  order.shrink_to_fit();
  std::sort(order.begin(), order.end(), nearer);

  Head head{.words = std::move(order), .distances = std::vector<double>(length), .beyond = beyond};
  std::transform(head.words.begin(), head.words.end(), head.distances.begin(),
                 [&](WordId id) { return scratch[index_of(id)]; });
  return head;
}

}  // namespace sotto
