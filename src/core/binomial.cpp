#include "core/binomial.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace sotto {
namespace {

// ln(x!) - (x + 1/2) ln x + x - ln(sqrt(2 pi)), the error of Stirling's formula; x > 0.
double stirling_error(double x) {
  constexpr double kSeriesFrom = 15;
  if (x < kSeriesFrom) {
    return std::lgamma(x + 1) - (x + 0.5) * std::log(x) + x - 0.5 * std::log(2 * std::numbers::pi);
  }
  const double s = 1 / (x * x);
  return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - s / 1188) * s) * s) * s) / x;
}

// x ln(x / mean) + mean - x without cancellation near x = mean.
double deviance(double x, double mean) {
  const double ratio = (x - mean) / (x + mean);
  if (std::abs(ratio) >= 0.1) return x * std::log(x / mean) + mean - x;
  // ln(x / mean) = 2 artanh(ratio), as a series.
  double sum = (x - mean) * ratio;
  double power = 2 * x * ratio;
  for (int j = 1; j < 1000; ++j) {
    power *= ratio * ratio;
    const double next = sum + power / (2 * j + 1);
    if (next == sum) break;
    sum = next;
  }
  return sum;
}

// A probability and its complement, each to full relative precision.
struct Share {
  double x;
  double rest;
};

// x^a rest^b / (a B(a, b)), by Loader's saddle-point form (2000, "Fast and accurate computation of binomial
// probabilities"): differences of lgamma would lose ten digits at 10^9 draws. a, b > 0.
double log_front(double a, double b, const Share& share) {
  const double n = a + b;
  const double log_binomial = stirling_error(n) - stirling_error(a) - stirling_error(b) -
                              deviance(a, n * share.x) - deviance(b, n * share.rest) +
                              0.5 * std::log(n / (2 * std::numbers::pi * a * b));
  return log_binomial + std::log(b / n);
}

// ln I_x(a, b), the regularised incomplete beta function, by Lentz's continued fraction (Numerical Recipes
// 6.4), which converges quickly for x below the mean a / (a + b); the callers stay there.
double log_beta_tail(double a, double b, const Share& share) {
  constexpr double kTiny = 1e-300;
  constexpr int kRounds = 1'000'000;  // about sqrt(max(a, b)) are needed
  const auto kept = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  const double x = share.x;
  double c = 1;
  double d = 1 / kept(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m < kRounds; ++m) {
    const double even = m * (b - m) * x / ((a + 2.0 * m - 1) * (a + 2.0 * m));
    d = 1 / kept(1 + even * d);
    c = kept(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1));
    d = 1 / kept(1 + odd * d);
    c = kept(1 + odd / c);
    fraction *= d * c;
    if (std::abs(d * c - 1) < 1e-15) break;
  }
  return log_front(a, b, share) + std::log(fraction);
}

double beta_cdf(double a, double b, const Share& share) {
  if (share.x <= (a + 1) / (a + b + 2)) return std::exp(log_beta_tail(a, b, share));
  return -std::expm1(log_beta_tail(b, a, {.x = share.rest, .rest = share.x}));
}

// The p in (low, high) where the increasing function crosses 0; by bisection of ln p.
double crossing(double low, double high, const std::function<double(double)>& increasing) {
  double left = std::log(low);
  double right = std::log(high);
  for (int i = 0; i < 200 && right - left > 1e-14 * std::max(1.0, -left); ++i) {
    const double middle = left + (right - left) / 2;
    (increasing(std::exp(middle)) < 0 ? left : right) = middle;
  }
  return std::exp(left + (right - left) / 2);
}

}  // namespace

double binomial_at_least(const HitCount& count, double p) {
  if (count.hits <= 0) return 1;
  return beta_cdf(count.hits, count.draws - count.hits + 1, {.x = p, .rest = 1 - p});
}

double binomial_at_most(const HitCount& count, double p) {
  if (count.hits >= count.draws) return 1;
  return beta_cdf(count.draws - count.hits, count.hits + 1, {.x = 1 - p, .rest = p});
}

double lower_probability(const HitCount& count, double error) {
  const auto [hits, draws] = count;
  if (hits <= 0) return 0;
  if (hits >= draws) return std::exp(std::log(error) / draws);
  // P(X >= hits | p) grows with p and is about 1/2 at hits / draws.
  const double share = hits / draws;
  double low = share / 2;
  while (low > 0 && binomial_at_least(count, low) >= error) low /= 2;
  if (low == 0) return 0;
  return crossing(low, share, [&](double p) { return binomial_at_least(count, p) - error; });
}

double upper_probability(const HitCount& count, double error) {
  const auto [hits, draws] = count;
  if (hits >= draws) return 1;
  if (hits <= 0) return -std::expm1(std::log(error) / draws);
  return crossing(hits / draws, 1, [&](double p) { return p >= 1 ? 1 : error - binomial_at_most(count, p); });
}

ProbabilityInterval wilson_interval(const HitCount& count) {
  constexpr double kZ = 1.959963984540054;  // the 97.5% point of the normal distribution
  const double n = count.draws;
  const double p = count.hits / n;
  const double centre = (p + kZ * kZ / (2 * n)) / (1 + kZ * kZ / n);
  const double half = kZ / (1 + kZ * kZ / n) * std::sqrt(p * (1 - p) / n + kZ * kZ / (4 * n * n));
  // The ends at 0 and 1 are exact; rounding must not move them.
  return {.low = count.hits == 0 ? 0.0 : std::max(0.0, centre - half),
          .high = count.hits == n ? 1.0 : std::min(1.0, centre + half)};
}

}  // namespace sotto
