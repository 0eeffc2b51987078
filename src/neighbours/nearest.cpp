#include "neighbours/nearest.h"

#include <algorithm>
#include <array>
#include <limits>

#include "model/distance_kernels.h"

namespace sotto {
namespace {

// Words come in index order, so a later word at the same distance stays behind an earlier one.
void insert(std::span<Neighbour> nearest, Neighbour found) {
  std::size_t place = nearest.size() - 1;
  for (; place > 0 && nearest[place - 1].squared > found.squared; --place)
    nearest[place] = nearest[place - 1];
  nearest[place] = found;
}

}  // namespace

void NearestWords::find(std::span<const double> noisy, std::size_t k, std::span<Neighbour> out) const {
  constexpr std::size_t kRows = 256;  // a block of rows stays in the second-level cache for all queries
  const std::size_t stride = model_.stride();
  const std::size_t queries = out.size() / k;
  std::array<double, kRows> squared{};
  std::fill(out.begin(), out.end(),
            Neighbour{.word = {}, .squared = std::numeric_limits<double>::infinity()});
  for (std::size_t begin = 0; begin < model_.size(); begin += kRows) {
    const std::size_t count = std::min(kRows, model_.size() - begin);
    for (std::size_t q = 0; q < queries; ++q) {
      const std::span<Neighbour> nearest = out.subspan(q * k, k);
      squared_distances(noisy.data() + q * stride, model_.rows() + begin * stride, count, stride,
                        squared.data());
      for (std::size_t i = 0; i < count; ++i) {
        if (squared[i] < nearest.back().squared) {
          insert(nearest, {.word = word_id(begin + i), .squared = squared[i]});
        }
      }
    }
  }
}

}  // namespace sotto
