#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "core/uniform.h"

namespace sotto::lab {

// Every order equally likely. (std::shuffle's use of its generator differs between libraries.)
inline void shuffle(std::vector<std::uint32_t>& order, Rng& rng) {
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[uniform_below(rng, i)]);
}

}  // namespace sotto::lab
