#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sotto/model.h"

namespace sotto {

// Words by public frequency: each band holds a third of the tokens under the rank prior, whatever prior is
// measured with, so that bands of different runs are the same words. On 50,000 words: ranks up to 77, up to
// 2,000, and the rest.
struct Bands {
  static constexpr std::size_t kCount = 3;
  static constexpr std::array<std::string_view, kCount> kNames = {"frequent", "middle", "rare"};
  std::vector<std::uint8_t> of;                    // by word
  std::array<std::size_t, kCount> last_rank = {};  // 1-based; equal to the one before: an empty band
};
Bands frequency_bands(const Model& model);

}  // namespace sotto
