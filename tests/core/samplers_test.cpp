#include "core/samplers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/distributions.h"
#include "sotto/error.h"

namespace sotto {
namespace {

using testing::beta_cdf;
using testing::chi_squared_p_value;
using testing::gamma_cdf;
using testing::gaussian_cdf;
using testing::kFalseAlarm;
using testing::ks_distance;
using testing::ks_limit;

// Every comparison below raises a false alarm with probability 1e-9 at most.
constexpr std::size_t kDraws = 200000;

template <class Draw>
std::vector<double> sample(std::uint64_t seed, const Draw& draw) {
  Rng rng = Rng::seeded_not_private(seed);
  std::vector<double> values(kDraws);
  for (double& value : values) value = draw(rng);
  return values;
}

TEST(Samplers, UniformOpen) {
  const auto values = sample(21, uniform_open);
  EXPECT_LT(ks_distance(values, [](double x) { return x; }), ks_limit(kDraws));
  for (const double value : values) ASSERT_TRUE(value > 0 && value < 1);
}

TEST(Samplers, UniformOpenHasFullPrecisionAtEveryMagnitude) {
  // The exponents are geometric, and the last bit of the mantissa is a fair coin within each: a 53-bit
  // uniform has zeros there as soon as the value is small.
  Rng rng = Rng::seeded_not_private(22);
  std::vector<std::uint64_t> exponents(24);
  std::vector<double> law(24);
  std::vector<std::uint64_t> last_bits(2);
  for (std::size_t i = 0; i < kDraws; ++i) {
    int exponent = 0;
    const double mantissa = std::frexp(uniform_open(rng), &exponent);
    ++exponents[static_cast<std::size_t>(std::min(-exponent, 23))];
    if (exponent <= -4) ++last_bits[static_cast<std::uint64_t>(std::ldexp(mantissa, 53)) & 1];
  }
  for (std::size_t i = 0; i < law.size(); ++i)
    law[i] = std::ldexp(1.0, -static_cast<int>(std::min(i + 1, law.size() - 1)));
  EXPECT_GT(chi_squared_p_value(exponents, law), kFalseAlarm);
  EXPECT_GT(chi_squared_p_value(last_bits, std::vector<double>{0.5, 0.5}), kFalseAlarm);
}

TEST(Samplers, Exponential) {
  const auto values = sample(23, exponential);
  EXPECT_LT(ks_distance(values, [](double x) { return -std::expm1(-x); }), ks_limit(kDraws));
  for (const double value : values) ASSERT_GT(value, 0);
}

TEST(Samplers, Gaussian) {
  const auto values = sample(24, gaussian);
  EXPECT_LT(ks_distance(values, gaussian_cdf), ks_limit(kDraws));
  // The tail, which the distance above hardly sees: P(|X| > 3).
  std::vector<std::uint64_t> beyond(2);
  for (const double value : values) ++beyond[std::abs(value) > 3 ? 1 : 0];
  const double p = 2 * gaussian_cdf(-3);
  EXPECT_GT(chi_squared_p_value(beyond, std::vector<double>{1 - p, p}), kFalseAlarm);
}

TEST(Samplers, GammaOfManyShapes) {
  for (const double shape : {0.5, 1.0, 2.5, 100.0, 300.0}) {
    const auto values = sample(25, [&](Rng& rng) { return gamma(rng, shape); });
    const auto cdf = [&](double x) { return gamma_cdf({.shape = shape, .x = x}); };
    EXPECT_LT(ks_distance(values, cdf), ks_limit(kDraws)) << shape;
  }
}

TEST(Samplers, GammaTestSeesAShapeOffByOnePart) {
  // The negative control: a plausible slip (dim - 1 for dim) is far outside the limit, also at 300.
  const auto values = sample(25, [](Rng& rng) { return gamma(rng, 299); });
  EXPECT_GT(ks_distance(values, [](double x) { return gamma_cdf({.shape = 300, .x = x}); }),
            ks_limit(kDraws));
}

TEST(Samplers, GammaRefusesBadShapes) {
  Rng rng = Rng::seeded_not_private(1);
  for (const double shape : {0.0, -1.0, std::nan(""), HUGE_VAL}) EXPECT_THROW(gamma(rng, shape), Error);
}

double norm(const std::vector<double>& vector) {
  double squares = 0;
  for (const double x : vector) squares += x * x;
  return std::sqrt(squares);
}

// The distance of u_i^2 from Beta(1/2, (dim-1)/2), the law of a coordinate on the sphere.
template <class Draw>
double coordinate_distance(std::size_t dim, std::size_t coordinate, const Draw& draw) {
  const auto squares = sample(26, [&](Rng& rng) {
    const std::vector<double> u = draw(rng, dim);
    return u[coordinate] * u[coordinate];
  });
  const double half = 0.5 * static_cast<double>(dim - 1);
  return ks_distance(squares, [&](double x) { return beta_cdf({.a = 0.5, .b = half, .x = x}); });
}

std::vector<double> on_sphere(Rng& rng, std::size_t dim) {
  std::vector<double> u(dim);
  unit_sphere(rng, u);
  return u;
}

// The truncated-Gumbel paper's direction, "uniform in the unit ball" (mechanisms.md section 1).
std::vector<double> in_ball(Rng& rng, std::size_t dim) {
  std::vector<double> u = on_sphere(rng, dim);
  const double radius = std::pow(uniform_open(rng), 1 / static_cast<double>(dim));
  for (double& x : u) x *= radius;
  return u;
}

TEST(Sphere, CoordinatesFollowTheBetaLaw) {
  for (const std::size_t dim : {2UL, 3UL, 5UL, 100UL}) {
    for (const std::size_t coordinate : {std::size_t{0}, dim - 1}) {
      EXPECT_LT(coordinate_distance(dim, coordinate, on_sphere), ks_limit(kDraws))
          << dim << ' ' << coordinate;
    }
  }
}

TEST(Sphere, TheSameTestRefusesTheBall) {
  EXPECT_GT(coordinate_distance(2, 0, in_ball), ks_limit(kDraws));
}

TEST(Sphere, SignsAreFairAndIndependent) {
  // All 8 octants of three dimensions, equally likely.
  Rng rng = Rng::seeded_not_private(27);
  std::vector<std::uint64_t> octants(8);
  for (std::size_t i = 0; i < kDraws; ++i) {
    const auto u = on_sphere(rng, 3);
    ++octants[(u[0] > 0 ? 4U : 0U) + (u[1] > 0 ? 2U : 0U) + (u[2] > 0 ? 1U : 0U)];
  }
  EXPECT_GT(chi_squared_p_value(octants, std::vector<double>(8, 0.125)), kFalseAlarm);
}

TEST(Sphere, NormIsOne) {
  Rng rng = Rng::seeded_not_private(28);
  for (const std::size_t dim : {1UL, 2UL, 3UL, 50UL, 301UL}) {
    for (int i = 0; i < 1000; ++i) ASSERT_NEAR(norm(on_sphere(rng, dim)), 1, 1e-14) << dim;
  }
}

TEST(Sphere, OneDimensionIsAFairSign) {
  Rng rng = Rng::seeded_not_private(29);
  std::vector<std::uint64_t> signs(2);
  for (std::size_t i = 0; i < kDraws; ++i) {
    const double u = on_sphere(rng, 1)[0];
    ASSERT_TRUE(u == 1 || u == -1);
    ++signs[u > 0 ? 1 : 0];
  }
  EXPECT_GT(chi_squared_p_value(signs, std::vector<double>{0.5, 0.5}), kFalseAlarm);
}

TEST(Sphere, RefusesNoDimensions) {
  Rng rng = Rng::seeded_not_private(1);
  EXPECT_THROW(unit_sphere(rng, {}), Error);
}

}  // namespace
}  // namespace sotto
