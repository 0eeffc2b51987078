// The yardsticks themselves, against values known in closed form.
#include "core/distributions.h"

#include <gtest/gtest.h>

#include <numbers>

namespace sotto::test {
namespace {

TEST(Distributions, GammaCdfKnownValues) {
  EXPECT_NEAR(gamma_cdf({.shape = 1, .x = 0.7}), 1 - std::exp(-0.7), 1e-14);
  EXPECT_NEAR(gamma_cdf({.shape = 0.5, .x = 0.3}), std::erf(std::sqrt(0.3)), 1e-14);
  EXPECT_NEAR(gamma_cdf({.shape = 0.5, .x = 5}), std::erf(std::sqrt(5.0)), 1e-14);
  // 1 - e^-x (1 + x + x^2/2)
  EXPECT_NEAR(gamma_cdf({.shape = 3, .x = 2}), 1 - std::exp(-2.0) * 5, 1e-14);
  EXPECT_NEAR(gamma_cdf({.shape = 3, .x = 9}), 1 - std::exp(-9.0) * 50.5, 1e-14);
  EXPECT_EQ(gamma_cdf({.shape = 3, .x = -1}), 0);
}

TEST(Distributions, BetaCdfKnownValues) {
  EXPECT_NEAR(beta_cdf({.a = 1, .b = 3, .x = 0.2}), 1 - std::pow(0.8, 3), 1e-14);
  EXPECT_NEAR(beta_cdf({.a = 2, .b = 1, .x = 0.9}), 0.81, 1e-14);
  for (const double x : {0.01, 0.4, 0.99}) {  // the arcsine law
    EXPECT_NEAR(beta_cdf({.a = 0.5, .b = 0.5, .x = x}), 2 / std::numbers::pi * std::asin(std::sqrt(x)),
                1e-13);
  }
}

TEST(Distributions, ChiSquaredSeesAShiftAndPassesEquality) {
  const std::vector<double> law = {0.25, 0.25, 0.5};
  EXPECT_NEAR(chi_squared_p_value(std::vector<std::uint64_t>{250, 250, 500}, law), 1, 1e-12);
  EXPECT_LT(chi_squared_p_value(std::vector<std::uint64_t>{350, 150, 500}, law), kFalseAlarm);
  EXPECT_EQ(chi_squared_p_value(std::vector<std::uint64_t>{1, 999}, std::vector<double>{0, 1}), 0);
  // Two cells, statistic 4: P(|Gaussian| > 2).
  EXPECT_NEAR(chi_squared_p_value(std::vector<std::uint64_t>{60, 40}, std::vector<double>{0.5, 0.5}),
              2 * gaussian_cdf(-2), 1e-12);
}

}  // namespace
}  // namespace sotto::test
