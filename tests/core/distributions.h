#pragma once
// Distribution functions and goodness-of-fit tests, slow and obvious, for all test folders.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace sotto::test {

// The false-alarm rate of every statistical test here, per comparison. The tests are seeded, so in fact
// they either always pass or always fail.
inline constexpr double kFalseAlarm = 1e-9;

// P(a, x), the regularised lower incomplete gamma function: CDF of Gamma(shape a, scale 1) at x.
// Series below a + 1, Lentz's continued fraction above (Numerical Recipes 6.2).
struct GammaArguments {
  double shape;
  double x;
};
inline double gamma_cdf(GammaArguments arguments) {
  const auto [a, x] = arguments;
  if (x <= 0) return 0;
  if (std::isinf(x)) return 1;
  const double front = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a;
    double sum = term;
    for (double n = a + 1; term > sum * 1e-17; n += 1) {
      term *= x / n;
      sum += term;
    }
    return front * sum;
  }
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a;
  double c = 1 / kTiny;
  double d = 1 / b;
  double fraction = d;
  for (int i = 1; i < 100000; ++i) {
    const double an = -i * (i - a);
    b += 2;
    d = an * d + b;
    d = 1 / (std::abs(d) < kTiny ? kTiny : d);
    c = b + an / c;
    if (std::abs(c) < kTiny) c = kTiny;
    fraction *= d * c;
    if (std::abs(d * c - 1) < 1e-15) break;
  }
  return 1 - front * fraction;
}

// I_x(a, b), the regularised incomplete beta function: CDF of Beta(a, b) at x (Numerical Recipes 6.4).
struct BetaArguments {
  double a;
  double b;
  double x;
};
inline double beta_cdf(BetaArguments arguments) {
  const auto [a, b, x] = arguments;
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - beta_cdf({.a = b, .b = a, .x = 1 - x});
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x)) /
      a;
  constexpr double kTiny = 1e-300;
  const auto kept = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / kept(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m < 100000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / kept(1 + even * d);
    c = kept(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / kept(1 + odd * d);
    c = kept(1 + odd / c);
    fraction *= d * c;
    if (std::abs(d * c - 1) < 1e-15) break;
  }
  return front * fraction;
}

inline double gaussian_cdf(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

// Kolmogorov-Smirnov: the largest distance between the sample's and the true distribution function.
inline double ks_distance(std::vector<double> sample, const std::function<double(double)>& cdf) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double largest = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double p = cdf(sample[i]);
    const auto rank = static_cast<double>(i);
    largest = std::max({largest, p - rank / n, (rank + 1) / n - p});
  }
  return largest;
}

// Exceeded with probability at most kFalseAlarm for a sample of a continuous law, at every size
// (Dvoretzky, Kiefer, Wolfowitz; Massart 1990).
inline double ks_limit(std::size_t size) {
  return std::sqrt(std::log(2 / kFalseAlarm) / (2 * static_cast<double>(size)));
}

// Pearson's chi-squared with cells of small expectation pooled; returns the p-value. A count in a cell
// of probability 0 gives 0. Expectations of at least 10 per pooled cell keep the approximation honest.
inline double chi_squared_p_value(std::span<const std::uint64_t> counts,
                                  std::span<const double> probabilities) {
  double total = 0;
  for (const std::uint64_t count : counts) total += static_cast<double>(count);
  double statistic = 0;
  double pooled_count = 0;
  double pooled_expected = 0;
  int cells = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto count = static_cast<double>(counts[i]);
    const double expected = total * probabilities[i];
    if (probabilities[i] == 0 && count > 0) return 0;
    if (expected < 10) {
      pooled_count += count;
      pooled_expected += expected;
      continue;
    }
    statistic += (count - expected) * (count - expected) / expected;
    ++cells;
  }
  if (pooled_expected >= 10) {
    statistic += (pooled_count - pooled_expected) * (pooled_count - pooled_expected) / pooled_expected;
    ++cells;
  } else if (pooled_count > 60) {
    return 0;  // a Poisson of mean below 10 exceeds 60 with probability below 1e-24
  }
  return cells < 2 ? 1 : 1 - gamma_cdf({.shape = 0.5 * (cells - 1), .x = 0.5 * statistic});
}

}  // namespace sotto::test
