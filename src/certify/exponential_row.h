#pragma once
#include <span>

namespace sotto {

// The weights of one word's law, vectorised by Highway and chosen at run time:
//   weights[y] = base[y] * exp(-slope * min(distances[y], gamma)).
// An empty base counts as 1. Exponents must not exceed 700. Returns the sum of the weights; its last digits
// differ from one instruction set to another.
struct ExponentialRow {
  std::span<const double> distances;
  std::span<const double> base = {};
  double slope = 0;
  double gamma = 0;
};
double exponential_weights(const ExponentialRow& row, std::span<double> weights);

}  // namespace sotto
