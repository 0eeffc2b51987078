#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <limits>

#include "certify/all_pairs.h"
#include "core/infinity.h"

namespace sotto {

// What a pair must reach to matter to a certificate: lower bounds on the tenth largest epsilon, on the
// largest epsilon of each band of distance, and on the largest loss. They only ever rise.
struct LossLimits {
  std::array<double, 10> worst{};  // the largest lower bounds of epsilons so far, the largest first
  std::array<double, kBands> bands{};
  double loss = 0;

  [[nodiscard]] double epsilon(std::size_t band) const { return std::min(worst.back(), bands[band]); }
  // A pair whose epsilon and loss are known to be at least that.
  void raise(std::size_t band, double least_epsilon, double least_loss) {
    loss = std::max(loss, least_loss);
    bands[band] = std::max(bands[band], least_epsilon);
    if (!(least_epsilon > worst.back())) return;
    worst.back() = least_epsilon;
    std::sort(worst.begin(), worst.end(), std::greater<>());
  }
};

// Distances at which no pair with a certain gap of ln Z can reach the limits.
struct DeadDistances {
  double low = 0;
  double high = 0;  // below or at `low`: there are none
};

// For each band of distance the gap of ln Z from which on a pair of the band may reach the limits.
class GapLimits {
 public:
  GapLimits(const LossLimits& limits, const AllPairs::LossQuestion& question, double bands_per_unit)
      : width_(1 / bands_per_unit) {
    constexpr double kSlack = 1e-12;  // more than the lines below round
    constexpr double kEdge = 1e-13;   // more than the number of a band rounds
    const double slope = question.kernel.slope * (1 + 4 * question.error.relative + kSlack);
    const double gamma = question.kernel.gamma;
    for (std::size_t b = 0; b < kBands; ++b) {
      const double low = static_cast<double>(b) * width_ * (1 - kEdge);
      const double high = b + 1 == kBands ? kInfinity : static_cast<double>(b + 1) * width_ * (1 + kEdge);
      // epsilon <= slope min(d, gamma) / d + max(0, gap + margin - allowance) / d, largest at `low`.
      const double needed = limits.epsilon(b) * (1 - 4 * question.error.relative - kSlack);
      const double spare = needed - slope * (low > gamma ? gamma / low : 1);
      const double by_loss = limits.loss * (1 - kSlack) - slope * std::min(high, gamma) - question.margin;
      gaps_[b] = spare > 0 ? std::min(spare * low + question.allowance - question.margin, by_loss) : -1;
    }
  }
  // The longest run of bands without such pairs.
  [[nodiscard]] DeadDistances dead(double gap) const {
    std::size_t best_first = 0;
    std::size_t best_count = 0;
    std::size_t count = 0;
    for (std::size_t b = 0; b < kBands; ++b) {
      count = gap < gaps_[b] ? count + 1 : 0;
      if (count <= best_count) continue;
      best_count = count;
      best_first = b + 1 - count;
    }
    if (best_count == 0) return {};
    const std::size_t end = best_first + best_count;
    return {
        .low = static_cast<double>(best_first) * width_,
        .high = end == kBands ? std::numeric_limits<double>::infinity() : static_cast<double>(end) * width_};
  }

 private:
  double width_;
  std::array<double, kBands> gaps_{};
};

}  // namespace sotto
