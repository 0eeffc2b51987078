#include "core/binomial.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/distributions.h"

namespace sotto {
namespace {

// P(X >= hits) added term by term.
long double summed_tail(int hits, int draws, long double p) {
  long double sum = 0;
  for (int k = hits; k <= draws; ++k) {
    sum += std::exp(std::lgamma(draws + 1.0L) - std::lgamma(k + 1.0L) - std::lgamma(draws - k + 1.0L) +
                    k * std::log(p) + (draws - k) * std::log1p(-p));
  }
  return sum;
}

TEST(Binomial, TailsAreSumsOfTheLaw) {
  for (const int draws : {1, 2, 7, 40, 300}) {
    for (int hits = 0; hits <= draws; hits += 1 + draws / 9) {
      for (const double p : {1e-6, 0.01, 0.3, 0.5, 0.93}) {
        const auto expected = static_cast<double>(summed_tail(hits, draws, p));
        const HitCount count{.hits = static_cast<double>(hits), .draws = static_cast<double>(draws)};
        if (expected > 1e-290) {
          EXPECT_NEAR(binomial_at_least(count, p) / expected, 1, 1e-11) << hits << " of " << draws;
        }
        if (hits == 0) continue;
        EXPECT_NEAR(binomial_at_most({.hits = count.hits - 1, .draws = count.draws}, p), 1 - expected, 1e-12);
      }
    }
  }
}

// Textbook values: 95% two-sided intervals, that is errors of 2.5% (Clopper and Pearson; 10 of 100, 0 of 20).
TEST(Binomial, KnownIntervals) {
  EXPECT_NEAR(lower_probability({.hits = 10, .draws = 100}, 0.025), 0.049004689, 5e-9);
  EXPECT_NEAR(upper_probability({.hits = 10, .draws = 100}, 0.025), 0.176222598, 5e-9);
  EXPECT_NEAR(upper_probability({.hits = 0, .draws = 20}, 0.025), 0.168433, 5e-7);
  EXPECT_NEAR(lower_probability({.hits = 20, .draws = 20}, 0.025), 1 - 0.168433, 5e-7);
}

TEST(Binomial, EndsOfTheRange) {
  for (const double draws : {1.0, 1000.0, 1e9}) {
    EXPECT_EQ(lower_probability({.hits = 0, .draws = draws}, 1e-6), 0);
    EXPECT_EQ(upper_probability({.hits = draws, .draws = draws}, 1e-6), 1);
    // (1 - p)^n = error.
    EXPECT_NEAR(draws * std::log1p(-upper_probability({.hits = 0, .draws = draws}, 1e-6)), std::log(1e-6),
                1e-9);
    EXPECT_NEAR(draws * std::log(lower_probability({.hits = draws, .draws = draws}, 1e-6)), std::log(1e-6),
                1e-7);
  }
}

// The bound is where the tail equals the error: by the functions above, and by another incomplete beta
// function, whose lgamma is good to about 1e-7 at 10^9.
TEST(Binomial, BoundsSolveTheirEquation) {
  for (const double draws : {50.0, 1e4, 1e6, 1e9}) {
    for (const double share : {1e-8, 1e-4, 0.03, 0.5, 0.99}) {
      const double hits = std::max(1.0, std::floor(draws * share));
      for (const double error : {0.05, 1e-4, 1e-9}) {
        const HitCount count{.hits = hits, .draws = draws};
        const double low = lower_probability(count, error);
        const double high = upper_probability(count, error);
        EXPECT_LT(low, hits / draws);
        EXPECT_GT(high, hits / draws);
        EXPECT_NEAR(binomial_at_least(count, low) / error, 1, 1e-6) << hits << " of " << draws;
        if (1 - high < 1e-9) continue;  // a double near 1 cannot say it better
        EXPECT_NEAR(binomial_at_most(count, high) / error, 1, 1e-6) << hits << " of " << draws;
        EXPECT_NEAR(test::beta_cdf({.a = hits, .b = draws - hits + 1, .x = low}) / error, 1, 1e-4);
        EXPECT_NEAR(test::beta_cdf({.a = draws - hits, .b = hits + 1, .x = 1 - high}) / error, 1, 1e-4);
      }
    }
  }
}

// Few hits of very many draws are a Poisson variable: gamma quantiles, to 1/n.
TEST(Binomial, ManyDrawsApproachThePoissonBounds) {
  const double high = upper_probability({.hits = 3, .draws = 1e9}, 1e-6) * 1e9;
  EXPECT_NEAR((1 - test::gamma_cdf({.shape = 4, .x = high})) / 1e-6, 1, 1e-5);
  const double low = lower_probability({.hits = 3, .draws = 1e9}, 1e-6) * 1e9;
  EXPECT_NEAR(test::gamma_cdf({.shape = 3, .x = low}) / 1e-6, 1, 1e-5);
}

// The promise itself, without sampling: at a true p the lower bound exceeds p for outcomes of total
// probability at most `error`, and likewise above.
TEST(Binomial, CoverageHoldsExactly) {
  const double error = 0.03;
  for (const int draws : {5, 60}) {
    for (double p = 0.01; p < 1; p += 0.07) {
      long double missed_low = 0;
      long double missed_high = 0;
      for (int hits = 0; hits <= draws; ++hits) {
        const long double mass = summed_tail(hits, draws, p) - summed_tail(hits + 1, draws, p);
        const HitCount count{.hits = static_cast<double>(hits), .draws = static_cast<double>(draws)};
        if (lower_probability(count, error) > p) missed_low += mass;
        if (upper_probability(count, error) < p) missed_high += mass;
      }
      EXPECT_LE(static_cast<double>(missed_low), error);
      EXPECT_LE(static_cast<double>(missed_high), error);
    }
  }
}

// Its ends are the probabilities from which the share lies 1.96 of their own standard deviations away.
TEST(Binomial, WilsonsIntervalSolvesItsEquation) {
  for (const double hits : {1.0, 7.0, 25.0, 49.0}) {
    const auto [low, high] = wilson_interval({.hits = hits, .draws = 50});
    for (const double p : {low, high}) {
      EXPECT_NEAR(std::abs(hits / 50 - p) / std::sqrt(p * (1 - p) / 50), 1.959963984540054, 1e-9);
    }
    EXPECT_LT(low, hits / 50);
    EXPECT_GT(high, hits / 50);
  }
  EXPECT_EQ(wilson_interval({.hits = 0, .draws = 50}).low, 0);
  EXPECT_EQ(wilson_interval({.hits = 50, .draws = 50}).high, 1);
}

}  // namespace
}  // namespace sotto
