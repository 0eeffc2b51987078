#pragma once
// Three ways to find out that a mechanism is not what it claims to be. Slow and obvious: the product's own
// auditor and certificate are held to other tests.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/sampling.h"

namespace sotto::test {

// Bounds that hold with probability 1 - alpha each for the probability behind `hits` of `draws`: all q with
// draws * KL(hits / draws, q) <= ln(1 / alpha) (Chernoff), found by bisection.
struct Tally {
  std::uint64_t hits;
  std::uint64_t draws;
};
inline double divergence(double p, double q) {
  const double left = p > 0 ? p * std::log(p / q) : 0;
  return left + (p < 1 ? (1 - p) * std::log((1 - p) / (1 - q)) : 0);
}
enum class Side { lower, upper };
inline double bound(Tally tally, double alpha, Side side) {
  const double p = static_cast<double>(tally.hits) / static_cast<double>(tally.draws);
  const double limit = std::log(1 / alpha) / static_cast<double>(tally.draws);
  double inside = p;
  double outside = side == Side::lower ? 0 : 1;
  for (int i = 0; i < 100; ++i) {
    const double middle = (inside + outside) / 2;
    (divergence(p, middle) <= limit ? inside : outside) = middle;
  }
  return outside;
}

// A lower bound on the largest |ln P(y|first) - ln P(y|second)|, from samples alone. It is above the truth
// with probability at most test::kFalseAlarm.
inline double sampled_loss(const WordMechanism& mechanism, WordId first, WordId second, std::size_t words,
                           std::size_t draws, Rng& rng) {
  const auto one = sample_counts(mechanism, first, words, draws, rng);
  const auto two = sample_counts(mechanism, second, words, draws, rng);
  const double alpha = test::kFalseAlarm / (4 * static_cast<double>(words));
  double loss = 0;
  for (std::size_t y = 0; y < words; ++y) {
    const Tally a{.hits = one[y], .draws = draws};
    const Tally b{.hits = two[y], .draws = draws};
    const auto excess = [&](Tally more, Tally less) {
      const double low = bound(more, alpha, Side::lower);
      return low > 0 ? std::log(low / bound(less, alpha, Side::upper)) : 0.0;
    };
    loss = std::max({loss, excess(a, b), excess(b, a)});
  }
  return loss;
}

// The same from two laws, exactly; infinite where an output is possible under one of them only.
inline double exact_loss(const std::vector<double>& first, const std::vector<double>& second) {
  double loss = 0;
  for (std::size_t y = 0; y < first.size(); ++y) {
    if (first[y] == second[y]) continue;
    loss = std::max(loss, first[y] > 0 && second[y] > 0 ? std::abs(std::log(first[y] / second[y]))
                                                        : std::numeric_limits<double>::infinity());
  }
  return loss;
}

}  // namespace sotto::test
