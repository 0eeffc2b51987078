#pragma once
#include <algorithm>
#include <array>
#include <vector>

#include "certify/all_pairs.h"
#include "certify/worst_pairs.h"

namespace sotto {

// Limits are met a little early in a vectorised search, since its products are rounded too.
inline constexpr double kEarly = 1 - 1e-12;

inline std::size_t band_of(double distance, double bands_per_unit) {
  return static_cast<std::size_t>(std::min(distance * bands_per_unit, static_cast<double>(kBands - 1)));
}

// What a search over pairs has found so far. The limits only ever rise.
struct FoundLosses {
  WorstPairs worst;
  std::array<PairLoss, kBands> bands{};
  std::array<double, kBands> band_ratios{};
  double loss = 0;
  double unbounded_loss = 0;
  double largest_distance = 0;
  std::vector<double> nearest;

  // A pair with its distance and its loss.
  void meet(const AllPairs::LossQuestion& question, PairLoss pair, double bands_per_unit) {
    loss = std::max(loss, pair.loss);
    const std::optional<double> epsilon = question.epsilon(pair.distance, pair.loss);
    if (!epsilon) {
      if (pair.loss > question.allowance) unbounded_loss = std::max(unbounded_loss, pair.loss);
      return;
    }
    pair.epsilon = *epsilon;
    if (!(pair.epsilon > 0)) return;
    const std::size_t band = band_of(pair.distance, bands_per_unit);
    if (bands[band].epsilon == 0 || is_worse(pair, bands[band])) bands[band] = pair;
    band_ratios[band] = bands[band].epsilon * kEarly;
    worst.add(pair);
  }
  void merge(const FoundLosses& other) {
    worst.add(other.worst);
    for (std::size_t b = 0; b < kBands; ++b) {
      if (other.bands[b].epsilon > 0 && (bands[b].epsilon == 0 || is_worse(other.bands[b], bands[b]))) {
        bands[b] = other.bands[b];
      }
    }
    loss = std::max(loss, other.loss);
    unbounded_loss = std::max(unbounded_loss, other.unbounded_loss);
    largest_distance = std::max(largest_distance, other.largest_distance);
    for (std::size_t r = 0; r < nearest.size(); ++r) nearest[r] = std::min(nearest[r], other.nearest[r]);
  }
  AllPairs::LossAnswer take() {
    AllPairs::LossAnswer answer{.worst = worst.take(),
                                .bands = {},
                                .largest_loss = loss,
                                .largest_unbounded_loss = unbounded_loss,
                                .nearest = std::move(nearest),
                                .largest_distance = largest_distance};
    std::copy_if(bands.begin(), bands.end(), std::back_inserter(answer.bands),
                 [](const PairLoss& pair) { return pair.epsilon > 0; });
    return answer;
  }
};

}  // namespace sotto
