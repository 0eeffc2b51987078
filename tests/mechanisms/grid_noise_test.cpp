#include "mechanisms/privemb/grid_noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/distributions.h"
#include "mechanisms/big_number.h"
#include "sotto/error.h"
#include "sotto/rng.h"

namespace sotto {
namespace {

using test::Big;
using test::uniform;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The definition of grid_noise.h, term by term.
std::vector<Big> reference_noise(const GridNoiseLaw& law, std::span<const std::uint64_t> leading,
                                 std::uint64_t tail) {
  Big radius;
  for (std::size_t j = 0; j < law.dim; ++j) {
    Big u = uniform(leading[j], tail);
    mpfr_log(u, u, MPFR_RNDN);
    mpfr_sub(radius, radius, u, MPFR_RNDN);
  }
  mpfr_mul_d(radius, radius, law.scale, MPFR_RNDN);
  std::vector<Big> out;
  Big squares;
  for (std::size_t j = 0; j < law.dim; ++j) {
    Big length = uniform(leading[law.dim + j / 2 * 2], tail);
    mpfr_log(length, length, MPFR_RNDN);
    mpfr_mul_si(length, length, -2, MPFR_RNDN);
    mpfr_sqrt(length, length, MPFR_RNDN);
    Big angle;
    mpfr_const_pi(angle, MPFR_RNDN);
    Big turn = uniform(leading[law.dim + j / 2 * 2 + 1], tail);
    mpfr_mul(angle, angle, turn, MPFR_RNDN);
    mpfr_mul_ui(angle, angle, 2, MPFR_RNDN);
    (j % 2 == 0 ? mpfr_cos : mpfr_sin)(angle, angle, MPFR_RNDN);
    mpfr_mul(angle, angle, length, MPFR_RNDN);
    out.push_back(angle);
    mpfr_sqr(angle, angle, MPFR_RNDN);
    mpfr_add(squares, squares, angle, MPFR_RNDN);
  }
  mpfr_sqrt(squares, squares, MPFR_RNDN);
  mpfr_div(radius, radius, squares, MPFR_RNDN);
  for (Big& coordinate : out) mpfr_mul(coordinate, coordinate, radius, MPFR_RNDN);
  return out;
}

double reference_release(const GridNoiseLaw& law, Big noise, double centre) {
  mpfr_add_d(noise, noise, centre, MPFR_RNDN);
  mpfr_mul_2si(noise, noise, -law.grid_exponent, MPFR_RNDN);
  mpfr_rint(noise, noise, MPFR_RNDN);
  mpfr_mul_2si(noise, noise, law.grid_exponent, MPFR_RNDN);
  return mpfr_get_d(noise, MPFR_RNDN) + 0.0;
}

std::vector<double> all_exactly(const GridNoise& noise, std::span<const std::uint64_t> leading,
                                std::uint64_t tail, std::span<const double> centre) {
  std::vector<double> out(noise.law().dim, kNaN);
  noise.release_exactly(
      leading, [&] { return tail; }, [&](std::size_t j, Interval& held) { held.set(centre[j]); }, out);
  return out;
}

std::vector<std::uint64_t> random_words(const GridNoise& noise, Rng& rng) {
  std::vector<std::uint64_t> words(noise.uniforms());
  for (std::uint64_t& word : words) word = rng.bits();
  return words;
}

// Bits, so that -0 is not 0.
void expect_same(std::span<const double> a, std::span<const double> b) {
  for (std::size_t j = 0; j < a.size(); ++j) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(a[j]), std::bit_cast<std::uint64_t>(b[j])) << a[j] << " " << b[j];
  }
}

// Grids from coarse to a few times the error bound, where nearly every step of the bound matters; digits that
// are unfavourable; and deeper digits all 0 or all 1, which the doubles have not seen.
TEST(GridNoise, WhatTheDoublesDecideIsWhatTheReferenceSays) {
  Rng rng = Rng::seeded_not_private(61);
  std::size_t decided = 0;
  std::size_t undecided = 0;
  for (const std::size_t dim : {1U, 2U, 3U, 5U, 16U, 51U}) {
    for (const int exponent : {3, -1, -20, -42, -45, -47}) {
      const GridNoise noise({.dim = dim, .scale = 0.7, .grid_exponent = exponent});
      for (int round = 0; round < 12; ++round) {
        std::vector<std::uint64_t> words = random_words(noise, rng);
        if (round % 3 == 1) words[rng.bits() % words.size()] >>= rng.bits() % 30;
        if (round % 3 == 2) words[rng.bits() % words.size()] |= ~(~std::uint64_t{0} >> (rng.bits() % 30));
        if (round % 4 == 3 && dim % 2 == 1) {
          // The last pair, of which only the cosine counts, is long, and the cosine next to 0.
          if (dim > 1) words[dim] = ~(rng.bits() >> 20);
          words[words.size() - 2] >>= 20;
          // Alone, it is the sign of a cosine that doubles cannot see.
          words.back() = (std::uint64_t{1} << 62) + (dim > 1 ? rng.bits() >> 22 : rng.bits() % 64);
        }
        std::vector<double> centre(dim);
        for (double& value : centre) value = std::ldexp(static_cast<double>(rng.bits() >> 11), -52) - 1;
        std::vector<double> out(dim);
        const std::size_t open = noise.release_quickly(words, {.values = centre, .error = 0}, out);
        EXPECT_EQ(open, static_cast<std::size_t>(
                            std::ranges::count_if(out, [](double y) { return std::isnan(y); })));
        undecided += open;
        decided += dim - open;
        for (const std::uint64_t tail : {std::uint64_t{0}, ~std::uint64_t{0}}) {
          const auto kappa = reference_noise(noise.law(), words, tail);
          for (std::size_t j = 0; j < dim; ++j) {
            if (std::isnan(out[j])) continue;
            const double expected = reference_release(noise.law(), kappa[j], centre[j]);
            EXPECT_EQ(std::bit_cast<std::uint64_t>(out[j]), std::bit_cast<std::uint64_t>(expected))
                << "dim " << dim << " grid 2^" << exponent;
          }
        }
      }
    }
  }
  EXPECT_GT(decided, 2000U);
  EXPECT_GT(undecided, 300U);
}

TEST(GridNoise, TheSlowPathIsTheReference) {
  Rng rng = Rng::seeded_not_private(62);
  for (const std::size_t dim : {1U, 2U, 3U, 10U}) {
    for (const int exponent : {2, -1, -30, -60, -150}) {  // the last need more than the first digits
      const GridNoise noise({.dim = dim, .scale = 3, .grid_exponent = exponent});
      const auto words = random_words(noise, rng);
      const std::uint64_t tail = rng.bits();
      const std::vector<double> centre(dim, 0.1);
      const auto kappa = reference_noise(noise.law(), words, tail);
      std::vector<double> expected;
      expected.reserve(dim);
      for (const Big& coordinate : kappa) expected.push_back(reference_release(noise.law(), coordinate, 0.1));
      expect_same(all_exactly(noise, words, tail, centre), expected);
    }
  }
}

// The centre puts the sum onto a boundary, to within a rounding: the doubles must not decide, and the answer
// is then in digits that they have not seen. The first U is small, so that these matter more than the
// rounding of the centre does.
TEST(GridNoise, ABoundaryIsLeftToTheSlowPath) {
  Rng rng = Rng::seeded_not_private(63);
  int differing = 0;
  for (int round = 0; round < 40; ++round) {
    const GridNoise noise({.dim = 4, .scale = 0x1.0p-12, .grid_exponent = -3});
    auto words = random_words(noise, rng);
    words[0] = words[0] >> 28 | std::uint64_t{1} << 35;
    Big kappa = reference_noise(noise.law(), words, 0)[2];
    const std::vector<double> centre = {0, 0, 0x1.0p-4 - mpfr_get_d(kappa, MPFR_RNDN), 0};
    std::vector<double> out(4);
    EXPECT_EQ(noise.release_quickly(words, {.values = centre, .error = 0}, out), 1U);
    EXPECT_TRUE(std::isnan(out[2]));
    const double quick_first = out[0];
    std::vector<double> answers;
    for (const std::uint64_t tail : {std::uint64_t{0}, ~std::uint64_t{0}}) {
      std::vector<double> again = out;
      noise.release_exactly(
          words, [&] { return tail; }, [&](std::size_t j, Interval& held) { held.set(centre[j]); }, again);
      const auto deeper = reference_noise(noise.law(), words, tail);
      EXPECT_EQ(again[2], reference_release(noise.law(), deeper[2], centre[2]));
      EXPECT_EQ(again[0], quick_first);
      answers.push_back(again[2]);
    }
    differing += answers[0] != answers[1] ? 1 : 0;
  }
  EXPECT_GT(differing, 0);  // else the boundary was never near enough for this test to mean anything
}

TEST(GridNoise, ACentreKnownBadlyIsNotDecidedNearABoundary) {
  Rng rng = Rng::seeded_not_private(64);
  const GridNoise noise({.dim = 2, .scale = 0x1.0p-30, .grid_exponent = 0});
  std::vector<double> out(2);
  const std::vector<double> centre = {0.49, 0.3};
  EXPECT_EQ(noise.release_quickly(random_words(noise, rng), {.values = centre, .error = 0.02}, out), 1U);
  EXPECT_TRUE(std::isnan(out[0]));
  EXPECT_EQ(out[1], 0);
}

TEST(GridNoise, DigitsWithoutABoundAreLeftToTheSlowPath) {
  Rng rng = Rng::seeded_not_private(65);
  const GridNoise noise({.dim = 4, .scale = 1, .grid_exponent = -20});
  const std::vector<double> centre(4, 0.0);
  for (const std::size_t place : {0U, 4U, 6U}) {
    for (const std::uint64_t word : {std::uint64_t{0}, std::uint64_t{9}, ~std::uint64_t{0}}) {
      auto words = random_words(noise, rng);
      words[place] = word;
      std::vector<double> out(4);
      const bool is_close_to_one = place < 4 && word == ~std::uint64_t{0};  // harmless for the radius
      EXPECT_EQ(noise.release_quickly(words, {.values = centre, .error = 0}, out), is_close_to_one ? 0U : 4U);
      const auto kappa = reference_noise(noise.law(), words, 0x123456789abcdef0);
      const auto exact = all_exactly(noise, words, 0x123456789abcdef0, centre);
      for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(exact[j], reference_release(noise.law(), kappa[j], 0));
    }
  }
  // U = 0 for ever has no logarithm.
  EXPECT_THROW(all_exactly(noise, std::vector<std::uint64_t>(noise.uniforms(), 0), 0, centre), Error);
}

TEST(GridNoise, ZeroHasNoSign) {
  Rng rng = Rng::seeded_not_private(66);
  const GridNoise noise({.dim = 2, .scale = 0x1.0p-20, .grid_exponent = 0});
  const std::vector<double> centre(2, -0.0);
  for (int round = 0; round < 50; ++round) {
    const auto words = random_words(noise, rng);
    std::vector<double> out(2);
    ASSERT_EQ(noise.release_quickly(words, {.values = centre, .error = 0}, out), 0U);
    const std::vector<double> zeros(2, 0.0);
    expect_same(out, zeros);
    expect_same(all_exactly(noise, words, 0, centre), zeros);
  }
}

// Radius and direction on a fine grid. False-alarm rate test::kFalseAlarm each.
TEST(GridNoise, TheRadiusIsGammaAndTheDirectionUniform) {
  for (const std::size_t dim : {1U, 2U, 3U, 20U}) {
    Rng rng = Rng::seeded_not_private(67, dim);
    const GridNoise noise({.dim = dim, .scale = 0.25, .grid_exponent = -30});
    const std::vector<double> centre(dim, 0.0);
    std::vector<double> radii;
    std::vector<std::vector<double>> squares(2);
    double positive = 0;
    const int draws = 30000;
    for (int i = 0; i < draws; ++i) {
      const auto words = random_words(noise, rng);
      std::vector<double> out(dim);
      if (noise.release_quickly(words, {.values = centre, .error = 0}, out) > 0) {
        out = all_exactly(noise, words, 0, centre);
      }
      double square = 0;
      for (const double value : out) square += value * value;
      radii.push_back(std::sqrt(square));
      squares[0].push_back(out.front() * out.front() / square);
      squares[1].push_back(out.back() * out.back() / square);
      positive += out.back() > 0 ? 1 : 0;
    }
    const auto shape = static_cast<double>(dim);
    EXPECT_LT(
        test::ks_distance(radii, [&](double r) { return test::gamma_cdf({.shape = shape, .x = r / 0.25}); }),
        test::ks_limit(radii.size()))
        << dim;
    EXPECT_LT(std::abs(positive - draws / 2.0) / std::sqrt(draws / 4.0), 6.1);
    if (dim == 1) continue;
    for (const auto& sample : squares) {
      const auto cdf = [&](double x) { return test::beta_cdf({.a = 0.5, .b = (shape - 1) / 2, .x = x}); };
      EXPECT_LT(test::ks_distance(sample, cdf), test::ks_limit(sample.size())) << dim;
    }
  }
}

}  // namespace
}  // namespace sotto
