#include "measure/bands.h"

#include <gtest/gtest.h>

#include <array>

#include "support/models.h"

namespace sotto {
namespace {

TEST(Bands, AreThirdsOfTheTokens) {
  const auto model = test::gaussian_model({.words = 5000, .dim = 2});
  const Bands bands = frequency_bands(*model);
  const auto prior = rank_prior(*model);
  std::array<double, Bands::kCount> mass = {};
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

}  // namespace
}  // namespace sotto
