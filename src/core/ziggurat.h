#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "sotto/rng.h"

namespace sotto {

// Gaussian numbers of mean 0 and variance 1 by the ziggurat method (Marsaglia and Tsang 2000). The density's
// right half is covered by 256 layers of equal area: 255 rectangles, and a base that has the tail beyond
// `kStart` in it. A layer, a sign and a place within the layer come from separate bits of one random
// word. 98.8% of the draws end there, the others are compared with the density itself. The tail is drawn from
// exponentials with their true tails, so nothing is cut off.
class Ziggurat {
 public:
  static constexpr std::size_t kLayers = 256;
  static constexpr double kStart = 3.6541528853610087963519472518;  // where the tail begins

  static const Ziggurat& table();

  double draw(Rng& rng) const {
    for (;;) {
      const std::uint64_t word = rng.bits();
      const std::size_t layer = word % kLayers;
      // 53 bits above the layer's 8 bits and the sign's bit; two bits stay unused. Signed: it converts in one
      // step.
      const double x = static_cast<double>(static_cast<std::int64_t>(word >> 11U)) * steps_[layer];
      const auto signed_by_word = [word](double size) {
        return std::bit_cast<double>(std::bit_cast<std::uint64_t>(size) | (word & kLayers) << 55U);
      };
      if (x < edges_[layer + 1]) [[likely]]
        return signed_by_word(x);
      if (layer == 0) return signed_by_word(tail(rng));
      // The layers have equal areas, what lies under the density in them has not: a new draw chooses its
      // layer again.
      if (is_under_density(layer, x, rng)) return signed_by_word(x);
    }
  }

  // The right end of each layer's rectangle, from the base up. The last one is 0: the top of the density.
  [[nodiscard]] const std::array<double, kLayers + 1>& edges() const noexcept { return edges_; }

 private:
  Ziggurat();
  static double tail(Rng& rng);
  // Whether a point of the layer, at x and at a height drawn here, lies under the density.
  [[nodiscard]] bool is_under_density(std::size_t layer, double x, Rng& rng) const;

  std::array<double, kLayers + 1> edges_ = {};
  std::array<double, kLayers> steps_ = {};        // 2^-53 of the edges
  std::array<double, kLayers + 1> heights_ = {};  // of the density at the edges, where it is 1 at 0
};

}  // namespace sotto
