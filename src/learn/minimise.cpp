// L-BFGS (Nocedal and Wright, Numerical Optimization, algorithm 7.4).
#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

#include "learn/logistic.h"

namespace sotto {
namespace {

constexpr std::size_t kMemory = 12;
constexpr int kMostSteps = 500;
constexpr double kGradient = 1e-7;  // largest entry at which the minimum counts as found

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}
double largest(const Vector& a) {
  double most = 0;
  for (const double value : a) most = std::max(most, std::abs(value));
  return most;
}

// A step and the change of the gradient along it.
struct Pair {
  Vector step;
  Vector change;
  double curvature = 0;
};

// Minus the gradient, multiplied by the inverse Hessian as the pairs show it.
Vector direction(const Vector& gradient, const std::deque<Pair>& pairs) {
  Vector out = gradient;
  Vector factors(pairs.size());
  for (std::size_t i = pairs.size(); i-- > 0;) {
    factors[i] = dot(pairs[i].step, out) / pairs[i].curvature;
    for (std::size_t j = 0; j < out.size(); ++j) out[j] -= factors[i] * pairs[i].change[j];
  }
  if (!pairs.empty()) {
    const double scale = pairs.back().curvature / dot(pairs.back().change, pairs.back().change);
    for (double& value : out) value *= scale;
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double factor = factors[i] - dot(pairs[i].change, out) / pairs[i].curvature;
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += factor * pairs[i].step[j];
  }
  for (double& value : out) value = -value;
  return out;
}

}  // namespace

std::vector<double> minimise(const SmoothLoss& loss, std::size_t dimension) {
  constexpr double kDecrease = 1e-4;  // Armijo's constant
  Vector at(dimension, 0.0);
  Vector gradient(dimension, 0.0);
  double value = loss(at, gradient);
  std::deque<Pair> pairs;
  Vector next(dimension);
  Vector next_gradient(dimension);
  for (int step = 0; step < kMostSteps && largest(gradient) > kGradient; ++step) {
    const Vector towards = direction(gradient, pairs);
    const double slope = dot(towards, gradient);
    if (!(slope < 0)) break;  // rounding: nothing is left to gain
    double length = pairs.empty() ? std::min(1.0, 1 / std::sqrt(-slope)) : 1.0;
    double next_value = value;
    bool is_lower = false;
    for (int halving = 0; halving < 50 && !is_lower; ++halving, length /= 2) {
      for (std::size_t j = 0; j < dimension; ++j) next[j] = at[j] + length * towards[j];
      next_value = loss(next, next_gradient);
      is_lower = next_value <= value + kDecrease * length * slope;
    }
    if (!is_lower) break;
    Pair pair{.step = next, .change = next_gradient};
    for (std::size_t j = 0; j < dimension; ++j) {
      pair.step[j] -= at[j];
      pair.change[j] -= gradient[j];
    }
    pair.curvature = dot(pair.step, pair.change);
    std::swap(at, next);
    std::swap(gradient, next_gradient);
    value = next_value;
    if (!(pair.curvature > 1e-300)) continue;
    pairs.push_back(std::move(pair));
    if (pairs.size() > kMemory) pairs.pop_front();
  }
  return at;
}

}  // namespace sotto
