#include "neighbours/nearest.h"

#include <algorithm>
#include <array>
#include <limits>

#include "model/distance_kernels.h"

namespace sotto {

void NearestWord::find(std::span<const double> noisy, std::span<WordId> out) const {
  constexpr std::size_t kRows = 256;  // a block of rows stays in the second-level cache for all queries
  const std::size_t stride = model_.stride();
  std::array<double, kRows> squared{};
  std::vector<double> best(out.size(), std::numeric_limits<double>::infinity());
  for (std::size_t begin = 0; begin < model_.size(); begin += kRows) {
    const std::size_t count = std::min(kRows, model_.size() - begin);
    const auto end = squared.begin() + static_cast<std::ptrdiff_t>(count);
    for (std::size_t q = 0; q < out.size(); ++q) {
      squared_distances(noisy.data() + q * stride, model_.rows() + begin * stride, count, stride,
                        squared.data());
      const auto least = std::min_element(squared.begin(), end);
      if (*least < best[q]) {
        best[q] = *least;
        out[q] = word_id(begin + static_cast<std::size_t>(least - squared.begin()));
      }
    }
  }
}

}  // namespace sotto
