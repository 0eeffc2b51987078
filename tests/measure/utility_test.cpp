#include "measure/utility.h"

#include <gtest/gtest.h>

#include <array>

#include "brute_force.h"
#include "mechanisms/build.h"

namespace sotto {
namespace {

// Rank 1 is the nearest other word, ties by index: sorted in full.
std::size_t slow_rank(const Space& space, std::size_t word, std::size_t output) {
  if (word == output) return 0;
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t o = 0; o < space.size(); ++o) {
    if (o != word) order.emplace_back(space.distance(word_id(word), word_id(o)), o);
  }
  std::sort(order.begin(), order.end());
  std::size_t rank = 1;
  while (order[rank - 1].second != output) ++rank;
  return rank;
}

std::size_t slow_bin(std::size_t rank) {
  std::size_t bin = 0;
  while (last_rank(bin) < rank) ++bin;
  return bin;
}

TEST(Utility, EqualsBruteForce) {
  constexpr std::size_t kWords = 77;
  const Mechanism mechanism = test::small_tem(kWords, "2.5");
  const Space& space = *mechanism.space;
  const Prior prior = frequency_rank_prior(space.model());
  const Bands bands = frequency_bands(space.model());
  Labels labels{.names = {"a", "b"}, .of = std::vector<std::int32_t>(kWords, Labels::kNone)};
  for (std::size_t w = 0; w < kWords; ++w) labels.of[w] = static_cast<std::int32_t>(w % 3) - 1;
  UtilityRows rows(mechanism, prior, bands, &labels);
  const std::array<LawVisitor*, 1> visitors = {&rows};
  stream_laws(mechanism, prior.support, visitors, {.threads = 3});

  const auto law = test::law_table(mechanism);
  UtilityTotals slow;
  std::vector<std::pair<double, double>> moved;  // distance, weight
  for (std::size_t w = 0; w < kWords; ++w) {
    for (std::size_t o = 0; o < kWords; ++o) {
      const double p = prior.weights[w] * law[w][o];
      slow.mass += p;
      slow.unchanged += w == o ? p : 0;
      slow.distance += p * space.distance(word_id(w), word_id(o));
      slow.ranks.at(slow_bin(slow_rank(space, w, o))) += p;
      moved.emplace_back(space.distance(word_id(w), word_id(o)), p);
      if (labels.of[w] == Labels::kNone) continue;
      slow.labelled += p;
      slow.flipped += labels.of[o] != Labels::kNone && labels.of[o] != labels.of[w] ? p : 0;
      slow.lost += labels.of[o] == Labels::kNone ? p : 0;
    }
  }
  const UtilityTotals totals = rows.overall();
  EXPECT_NEAR(totals.mass, slow.mass, 1e-12);
  EXPECT_NEAR(totals.unchanged, slow.unchanged, 1e-12);
  EXPECT_NEAR(totals.distance, slow.distance, 1e-11);
  EXPECT_NEAR(totals.labelled, slow.labelled, 1e-12);
  EXPECT_NEAR(totals.flipped, slow.flipped, 1e-12);
  EXPECT_NEAR(totals.lost, slow.lost, 1e-12);
  for (std::size_t bin = 0; bin < kRankBins; ++bin)
    EXPECT_NEAR(totals.ranks.at(bin), slow.ranks.at(bin), 1e-12) << bin;

  std::sort(moved.begin(), moved.end());
  double below = 0;
  double median = 0;
  for (const auto& [distance, p] : moved) {
    below += p;
    median = distance;
    if (below >= 0.5) break;
  }
  const Bounds bounds = median_distance(totals, space);
  EXPECT_LE(bounds.low, median);
  EXPECT_GE(bounds.high, median);
  EXPECT_LT(bounds.high - bounds.low, space.diameter_bound() / 4000);
}

TEST(Utility, RankOfOneOutput) {
  const auto model = test::line_model({0, 1, -1, 3, 3, 9});
  const auto space = Space::make(model, Metric::euclidean);
  std::vector<double> row;
  for (std::size_t w = 0; w < 6; ++w) {
    for (std::size_t o = 0; o < 6; ++o) {
      EXPECT_EQ(rank_bin(*space, word_id(w), word_id(o), row), slow_bin(slow_rank(*space, w, o)));
    }
  }
}

TEST(Utility, OneTextForAllKeepsNothing) {
  const auto model = test::line_model({0, 1, 2});
  const Mechanism redact = build_uncertified("redact", model, {});
  const Prior prior = uniform_prior(*model);
  const Bands bands = frequency_bands(*model);
  UtilityRows rows(redact, prior, bands, nullptr);
  const std::array<LawVisitor*, 1> visitors = {&rows};
  stream_laws(redact, prior.support, visitors, {});
  EXPECT_EQ(rows.overall().unchanged, 0);
}

}  // namespace
}  // namespace sotto
