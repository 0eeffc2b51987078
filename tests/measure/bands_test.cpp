#include "measure/bands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "support/models.h"

namespace sotto {
namespace {

TEST(Bands, AreThirdsOfTheTokens) {
  const auto model = test::gaussian_model({.words = 5000, .dim = 2});
  const Bands bands = frequency_bands(*model);
  const auto prior = rank_prior(*model);
  std::vector<double> mass(bands.count());
  for (std::size_t w = 0; w < prior.size(); ++w) {
    mass.at(bands.of[w]) += prior[w];
    EXPECT_GE(bands.of[w], w > 0 ? bands.of[w - 1] : 0);
  }
  for (const double share : mass) EXPECT_NEAR(share, 1.0 / 3, 0.02);
  EXPECT_EQ(bands.last_rank[2], 5000U);
  EXPECT_EQ(bands.of[bands.last_rank[0] - 1], 0);
  EXPECT_EQ(bands.of[bands.last_rank[0]], 1);
}

TEST(Bands, FewWordsStillHaveBands) {
  const Bands bands = frequency_bands(*test::line_model({0, 1}));
  EXPECT_EQ(bands.last_rank[2], 2U);
}

// Fifths of the possible words, ordered by the distance to the 10th nearest other word, found here by sorting
// the distances to all words. Duplicates count as neighbours.
TEST(Bands, OfDensityAreFifthsByTheTenthNeighbour) {
  const auto model = test::gaussian_model({.words = 203, .dim = 3});
  for (const Metric metric : {Metric::euclidean, Metric::manhattan}) {
    const auto space = Space::make(model, metric);
    Prior prior = uniform_prior(*model);
    prior.support.erase(prior.support.begin(), prior.support.begin() + 3);
    const Bands bands = density_bands(*space, prior, {.threads = 2});
    ASSERT_EQ(bands.count(), 5U);
    std::array<std::size_t, 5> sizes = {};
    std::array<double, 5> least = {};
    std::array<double, 5> most = {};
    least.fill(1e9);
    for (std::size_t w = 0; w < 203; ++w) {
      if (w < 3) {
        EXPECT_EQ(bands.of[w], Bands::kNone);
        continue;
      }
      std::vector<double> others;
      for (std::size_t y = 0; y < 203; ++y) {
        if (y != w) others.push_back(space->distance(word_id(w), word_id(y)));
      }
      std::ranges::sort(others);
      EXPECT_EQ(bands.neighbour_distance[w], others[9]);
      const std::size_t band = bands.of[w];
      ++sizes.at(band);
      least.at(band) = std::min(least.at(band), others[9]);
      most.at(band) = std::max(most.at(band), others[9]);
    }
    EXPECT_EQ(sizes, (std::array<std::size_t, 5>{40, 40, 40, 40, 40}));
    for (std::size_t b = 0; b + 1 < 5; ++b) EXPECT_LE(most.at(b), least.at(b + 1));
  }
}

TEST(Bands, OfDensityOnFewWordsTakeTheFarthest) {
  const auto model = test::line_model({0, 1, 5});
  const Bands bands = density_bands(*Space::make(model, Metric::euclidean), uniform_prior(*model), {});
  EXPECT_EQ(bands.neighbour_distance, (std::vector<double>{5, 4, 5}));
  EXPECT_EQ(bands.of, (std::vector<std::uint8_t>{1, 0, 3}));
}

}  // namespace
}  // namespace sotto
