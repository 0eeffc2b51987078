#pragma once
// Goodness of fit of counts against probabilities.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "sotto/mechanism.h"

namespace sotto::test {

struct ChiSquared {
  double statistic = 0;
  double degrees = 0;
  // Normal score of the statistic by Wilson and Hilferty's cube root; P(score > 6) is about 1e-9.
  [[nodiscard]] double score() const {
    const double v = 2 / (9 * degrees);
    return (std::cbrt(statistic / degrees) - (1 - v)) / std::sqrt(v);
  }
};

// Outputs expected fewer than 10 times are pooled, smallest first. An output that was seen although its
// probability is 0 gives an infinite statistic.
inline ChiSquared chi_squared(std::span<const std::uint64_t> counts, std::span<const double> probabilities) {
  const double draws = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return probabilities[a] < probabilities[b]; });
  ChiSquared result;
  double cells = 0;
  double expected = 0;
  double seen = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    expected += draws * probabilities[order[k]];
    seen += static_cast<double>(counts[order[k]]);
    if (expected < 10 && k + 1 < order.size()) continue;
    if (expected > 0) {
      result.statistic += (seen - expected) * (seen - expected) / expected;
      cells += 1;
    } else if (seen > 0) {
      result.statistic = INFINITY;
    }
    expected = 0;
    seen = 0;
  }
  result.degrees = std::max(1.0, cells - 1);
  return result;
}

// How often each output came in `draws` draws for one word.
inline std::vector<std::uint64_t> sample_counts(const WordMechanism& mechanism, WordId word,
                                                std::size_t words, std::size_t draws, Rng& rng) {
  std::vector<std::uint64_t> counts(words, 0);
  const std::vector<WordId> in(1000, word);
  std::vector<WordId> out(in.size());
  for (std::size_t done = 0; done < draws; done += in.size()) {
    mechanism.sample_batch(in, out, rng);
    for (const WordId id : out) ++counts[index_of(id)];
  }
  return counts;
}

}  // namespace sotto::test
