#include "core/samplers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/distributions.h"
#include "sotto/error.h"

namespace sotto {
namespace {

using test::beta_cdf;
using test::chi_squared_p_value;
using test::gamma_cdf;
using test::gaussian_cdf;
using test::kFalseAlarm;
using test::ks_distance;
using test::ks_limit;

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

TEST(Samplers, Gumbel) {
  const auto values = sample(30, gumbel);
  EXPECT_LT(ks_distance(values, [](double x) { return std::exp(-std::exp(-x)); }), ks_limit(kDraws));
}

// Of the law conditioned on [-cut, cut], in the form that loses nothing for narrow and for wide cuts.
double truncated_gumbel_cdf(double x, const TruncatedGumbelLaw& law) {
  const auto above_high = [&](double y) {  // e^(-y/b) - e^(C/b), negative
    return std::exp(law.cut / law.scale) * std::expm1(-(y + law.cut) / law.scale);
  };
  // (G(x) - G(-C)) / (G(C) - G(-C)), numerator and denominator divided by e^(-e^(C/b)) if that is not 0.
  if (law.cut / law.scale < 2) return std::expm1(-above_high(x)) / std::expm1(-above_high(law.cut));
  const auto g = [&](double y) { return std::exp(-std::exp(-y / law.scale)); };
  return (g(x) - g(-law.cut)) / (g(law.cut) - g(-law.cut));
}

const std::vector<TruncatedGumbelLaw> kTruncated = {
    {.scale = 1.5, .cut = 3}, {.scale = 35.354086, .cut = 1.6}, {.scale = 1e7, .cut = 2},
    {.scale = 0.1, .cut = 2}, {.scale = 0.001, .cut = 5},       {.scale = 1, .cut = 1}};

TEST(Samplers, TruncatedGumbel) {
  for (const TruncatedGumbelLaw& law : kTruncated) {
    const auto values = sample(31, [&](Rng& rng) { return truncated_gumbel(rng, law); });
    const auto cdf = [&](double x) { return truncated_gumbel_cdf(x, law); };
    EXPECT_LT(ks_distance(values, cdf), ks_limit(kDraws)) << law.scale << ' ' << law.cut;
    for (const double value : values) ASSERT_TRUE(std::abs(value) <= law.cut) << law.scale;
  }
}

TEST(Samplers, TruncatedGumbelTestSeesAFlippedSign) {
  // The negative control: noise skewed to the wrong side, and noise clamped instead of conditioned.
  const TruncatedGumbelLaw law = {.scale = 1.5, .cut = 3};
  const auto cdf = [&](double x) { return truncated_gumbel_cdf(x, law); };
  const auto flipped = sample(31, [&](Rng& rng) { return -truncated_gumbel(rng, law); });
  EXPECT_GT(ks_distance(flipped, cdf), ks_limit(kDraws));
  const auto clamped = sample(31, [&](Rng& rng) { return std::clamp(1.5 * gumbel(rng), -3.0, 3.0); });
  EXPECT_GT(ks_distance(clamped, cdf), ks_limit(kDraws));
}

TEST(Samplers, TruncatedGumbelIsRightInBothTails) {
  // Below the 1e-4 and above the 1 - 1e-4 quantile, which the largest distance hardly sees. Far enough out
  // to show a coarse uniform: at scale 0.1 the lower tail of 1e-4 is a factor of 9 in E.
  for (const TruncatedGumbelLaw& law : kTruncated) {
    std::vector<std::uint64_t> counts(3);
    Rng rng = Rng::seeded_not_private(32);
    for (std::size_t i = 0; i < 10 * kDraws; ++i) {
      const double p = truncated_gumbel_cdf(truncated_gumbel(rng, law), law);
      ++counts[p < 1e-4 ? 0 : p > 1 - 1e-4 ? 2 : 1];
    }
    EXPECT_GT(chi_squared_p_value(counts, std::vector<double>{1e-4, 1 - 2e-4, 1e-4}), kFalseAlarm)
        << law.scale << ' ' << law.cut;
  }
}

TEST(Samplers, TruncatedGumbelRefusesBadLaws) {
  Rng rng = Rng::seeded_not_private(1);
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_THROW(truncated_gumbel(rng, {.scale = bad, .cut = 1}), Error) << bad;
    EXPECT_THROW(truncated_gumbel(rng, {.scale = 1, .cut = bad}), Error) << bad;
  }
}

TEST(Samplers, PoissonOfManyMeans) {
  for (const double mean : {0.05, std::log(3.0), 4.6, 10.8, 60.0}) {
    std::vector<std::uint64_t> counts(200);
    Rng rng = Rng::seeded_not_private(33);
    for (std::size_t i = 0; i < kDraws; ++i) ++counts[std::min<std::uint64_t>(poisson(rng, mean), 199)];
    std::vector<double> law(counts.size());
    for (std::size_t k = 0; k < law.size(); ++k) {
      const auto count = static_cast<double>(k);
      law[k] = std::exp(count * std::log(mean) - mean - std::lgamma(count + 1));
    }
    EXPECT_GT(chi_squared_p_value(counts, law), kFalseAlarm) << mean;
  }
}

TEST(Samplers, PoissonAtTheEdgesOfItsDomain) {
  Rng rng = Rng::seeded_not_private(1);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(poisson(rng, 0), 0U);
  for (const double mean : {-1.0, std::nan(""), HUGE_VAL}) EXPECT_THROW(poisson(rng, mean), Error) << mean;
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

// The truncated-Gumbel paper's direction, "uniform in the unit ball" (docs/specification.md section 1).
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
