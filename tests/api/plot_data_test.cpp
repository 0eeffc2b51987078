#include "api/plot_data.h"

#include <gtest/gtest.h>

#include "sotto/certificate.h"
#include "support/models.h"

namespace sotto::api {
namespace {

// Whatever the threads, and ranks from the word itself to the farthest one without a gap.
TEST(PlotData, RanksAreSharesOfAllOutputs) {
  const auto model = test::gaussian_model({.words = 40, .dim = 3});
  const Mechanism mechanism = build_mechanism("tem", model, {{"epsilon", "3"}}).mechanism;
  const auto ranks = plotted_ranks(mechanism, {.threads = 1});
  const auto again = plotted_ranks(mechanism, {.threads = 3});
  ASSERT_EQ(ranks.size(), again.size());
  double total = 0;
  std::size_t next = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    EXPECT_EQ(ranks[i].share, again[i].share);
    EXPECT_EQ(ranks[i].first, next);
    next = ranks[i].last + 1;
    total += ranks[i].share;
  }
  EXPECT_EQ(next, 40U);
  EXPECT_NEAR(total, 1, 1e-9);
}

TEST(PlotData, DeniabilityIsOfAllWordsOfASmallModel) {
  const auto model = test::gaussian_model({.words = 40, .dim = 3});
  const Mechanism mechanism = build_mechanism("tem", model, {{"epsilon", "3"}}).mechanism;
  const Deniability deniability = plotted_deniability(mechanism, {});
  EXPECT_TRUE(deniability.exact);
  EXPECT_EQ(deniability.words.size(), 40U);
}

}  // namespace
}  // namespace sotto::api
