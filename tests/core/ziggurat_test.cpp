#include "core/ziggurat.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/distributions.h"
#include "core/samplers.h"

namespace sotto {
namespace {

using test::chi_squared_p_value;
using test::gaussian_cdf;
using test::kFalseAlarm;

constexpr std::size_t kZigguratDraws = 4'000'000;

double density(double x) {
  return std::exp(-0.5 * x * x);
}

TEST(Ziggurat, LayersHaveTheSameArea) {
  const auto& edges = Ziggurat::table().edges();
  const double area = edges[0] * density(Ziggurat::kStart);
  EXPECT_NEAR(
      area,
      Ziggurat::kStart * density(Ziggurat::kStart) + 2.5066282746310002 * gaussian_cdf(-Ziggurat::kStart),
      1e-16);
  for (std::size_t i = 1; i < Ziggurat::kLayers; ++i) {
    // The top layer is what is left, so it shows how well kStart fits.
    EXPECT_NEAR(edges[i] * (density(edges[i + 1]) - density(edges[i])) / area, 1, 1e-11) << i;
    EXPECT_LT(edges[i + 1], edges[i]);
  }
  EXPECT_EQ(edges[Ziggurat::kLayers], 0);
}

// The p-value of draws against the Gaussian law, in cells that end at the edges of the layers on both sides:
// a layer that is chosen too often, or the part of a layer above the density, falls into few cells.
template <class Draw>
double p_value(std::uint64_t seed, const Draw& draw) {
  std::vector<double> ends(Ziggurat::table().edges().begin() + 1, Ziggurat::table().edges().end());
  for (std::size_t i = ends.size() - 1; i-- > 0;) ends.push_back(-ends[i]);
  std::sort(ends.begin(), ends.end());
  std::vector<double> law;
  for (std::size_t i = 0; i <= ends.size(); ++i) {
    law.push_back((i < ends.size() ? gaussian_cdf(ends[i]) : 1) - (i > 0 ? gaussian_cdf(ends[i - 1]) : 0));
  }
  std::vector<std::uint64_t> counts(law.size());
  Rng rng = Rng::seeded_not_private(seed);
  for (std::size_t i = 0; i < kZigguratDraws; ++i) {
    const double x = draw(rng);
    ++counts[static_cast<std::size_t>(std::lower_bound(ends.begin(), ends.end(), x) - ends.begin())];
  }
  return chi_squared_p_value(counts, law);
}

TEST(Ziggurat, FollowsTheGaussianLaw) {
  EXPECT_GT(p_value(31, [](Rng& rng) { return Ziggurat::table().draw(rng); }), kFalseAlarm);
}

TEST(Ziggurat, TheSameTestSeesALayerThatIsKeptAfterARejection) {
  const auto& edges = Ziggurat::table().edges();
  const auto faulty = [&](Rng& rng) {
    const std::size_t layer = rng.bits() % Ziggurat::kLayers;
    if (layer == 0) return Ziggurat::table().draw(rng);
    for (;;) {
      const double x = uniform_open(rng) * edges[layer];
      const double low = density(edges[layer]);
      if (low + uniform_open(rng) * (density(edges[layer + 1]) - low) < density(x)) {
        return (rng.bits() & 1U) != 0 ? -x : x;
      }
    }
  };
  EXPECT_LT(p_value(32, faulty), kFalseAlarm);
}

// Around the place where the tail begins and beyond it, where the cells above see little: each side for
// itself.
TEST(Ziggurat, IsRightInBothTails) {
  const std::vector<double> ends = {3.4, Ziggurat::kStart, 3.8, 4, 4.25, 4.5};
  std::vector<double> law = {1};
  for (const double end : ends) {
    law.back() -= gaussian_cdf(-end);
    law.push_back(gaussian_cdf(-end));
  }
  for (const double side : {-1.0, 1.0}) {
    Rng rng = Rng::seeded_not_private(33);
    std::vector<std::uint64_t> counts(law.size());
    for (std::size_t i = 0; i < kZigguratDraws; ++i) {
      const double x = side * Ziggurat::table().draw(rng);
      ++counts[static_cast<std::size_t>(std::lower_bound(ends.begin(), ends.end(), x) - ends.begin())];
    }
    EXPECT_GT(counts.back(), 0U);
    EXPECT_GT(chi_squared_p_value(counts, law), kFalseAlarm);
  }
}

}  // namespace
}  // namespace sotto
