#include "measure/deniability.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "mechanisms/build.h"
#include "support/models.h"

namespace sotto {
namespace {

// The published row of tem on this line (docs/specification.md section 4): N_w is its first entry, and S_w is
// nearly 4.
TEST(Deniability, ExactFromTheLaw) {
  const auto model = test::line_model({0, 1, 2.5F, 4});
  const Mechanism tem = build_uncertified("tem", model, {{"epsilon", "1"}, {"gamma", "inf"}});
  const Deniability result = measure_deniability(tem, 100, RandomSource::seeded_not_private(1), {});
  EXPECT_TRUE(result.exact);
  ASSERT_EQ(result.words.size(), 4U);
  EXPECT_NEAR(result.words[0].unchanged, 0.4930065201, 1e-9);
  EXPECT_NEAR(result.words[0].distinct, 4, 1e-9);
  EXPECT_EQ(result.overall.words, 4U);
  EXPECT_EQ(result.rare.words, 1U);
  EXPECT_EQ(result.rare.unchanged.mean, result.words[3].unchanged);
}

// uniform over n words: N = 1/n, S = n (1 - (1 - 1/n)^1000).
TEST(Deniability, UniformHasAFormula) {
  const std::size_t n = 500;
  const Mechanism uniform = build_uncertified("uniform", test::gaussian_model({.words = n, .dim = 2}), {});
  const Deniability result = measure_deniability(uniform, 50, RandomSource::seeded_not_private(1), {});
  EXPECT_EQ(result.overall.words, 50U);
  EXPECT_EQ(result.rare.words, 5U);
  EXPECT_NEAR(result.overall.unchanged.mean, 1.0 / n, 1e-12);
  EXPECT_NEAR(result.overall.distinct.quantiles[3], n * (1 - std::pow(1 - 1.0 / n, 1000)), 1e-6);
}

// The same mechanism by its law and by its draws. 40 words of 1,000 draws: the mean of N_w has a standard
// error below sqrt(0.25 / 40,000) = 0.0025, that of S_w below 1; six of them fail with probability below
// 1e-8.
TEST(Deniability, DrawsAgreeWithTheLaw) {
  const auto model = test::gaussian_model({.words = 40, .dim = 3});
  const Mechanism tem = build_uncertified("tem", model, {{"epsilon", "3"}});
  const Deniability exact = measure_deniability(tem, 40, RandomSource::seeded_not_private(1), {});
  MechanismSubject subject(*tem.words, *model, RandomSource::seeded_not_private(2));
  const Deniability drawn = measure_deniability(subject, *model, 40, {});
  EXPECT_TRUE(exact.exact);
  EXPECT_FALSE(drawn.exact);
  EXPECT_NEAR(drawn.overall.unchanged.mean, exact.overall.unchanged.mean, 6 * 0.0025);
  EXPECT_NEAR(drawn.overall.distinct.mean, exact.overall.distinct.mean, 6);
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_NEAR(drawn.words[i].unchanged, exact.words[i].unchanged, 6 * std::sqrt(0.25 / 1000));
  }
}

TEST(Deniability, MechanismsWithoutALawAreDrawn) {
  const Mechanism laplace =
      build_uncertified("laplace", test::line_model({0, 1, 2.5F, 4}), {{"epsilon", "1000"}});
  const Deniability result = measure_deniability(laplace, 4, RandomSource::seeded_not_private(1), {});
  EXPECT_FALSE(result.exact);
  EXPECT_EQ(result.overall.unchanged.mean, 1);  // a large epsilon changes nothing
}

// redact prints one text for every word: nothing stays.
TEST(Deniability, ATokenIsNoWord) {
  const Mechanism redact = build_uncertified("redact", test::line_model({0, 1, 2}), {});
  const Deniability result = measure_deniability(redact, 3, RandomSource::seeded_not_private(1), {});
  EXPECT_EQ(result.overall.unchanged.quantiles[6], 0);
  EXPECT_EQ(result.overall.distinct.mean, 1);
}

TEST(Deniability, WordsComeFromEveryTenthAndAlwaysTheSame) {
  const auto model = test::gaussian_model({.words = 1000, .dim = 1});
  const std::vector<WordId> words = deniability_words(*model, 55);
  EXPECT_EQ(words, deniability_words(*model, 55));
  ASSERT_EQ(words.size(), 55U);
  std::vector<int> tenths(10, 0);
  for (const WordId word : words) ++tenths[index_of(word) / 100];
  for (const int count : tenths) EXPECT_GE(count, 5);
  EXPECT_EQ(std::set<WordId>(words.begin(), words.end()).size(), 55U);
  EXPECT_EQ(deniability_words(*model, 5000).size(), 1000U);
}

TEST(Deniability, QuantilesAreOrderStatistics) {
  const Mechanism tem = build_uncertified("tem", test::line_model({0, 1, 3, 7, 20}), {{"epsilon", "1"}});
  const Deniability result = measure_deniability(tem, 5, RandomSource::seeded_not_private(1), {});
  std::vector<double> values;
  for (const WordDeniability& word : result.words) values.push_back(word.unchanged);
  std::ranges::sort(values);
  EXPECT_EQ(result.overall.unchanged.quantiles[0], values[0]);
  EXPECT_EQ(result.overall.unchanged.quantiles[2], values[1]);
  EXPECT_EQ(result.overall.unchanged.quantiles[3], values[2]);
  EXPECT_EQ(result.overall.unchanged.quantiles[6], values[4]);
  EXPECT_NEAR(result.overall.unchanged.quantiles[1], values[0] + 0.2 * (values[1] - values[0]), 1e-12);
}

TEST(Deniability, OfAnOutsideProgramIsCounted) {
  const auto model = test::line_model({0, 1, 2, 3});
  ProgramSubject subject({.command = "cat", .environment = {"PATH=/usr/bin:/bin"}}, model);
  const Deniability deniability = measure_deniability(subject, *model, 10, {});
  EXPECT_FALSE(deniability.exact);
  EXPECT_EQ(deniability.overall.words, 4U);
  EXPECT_EQ(deniability.overall.unchanged.mean, 1);
  EXPECT_EQ(deniability.overall.distinct.mean, 1);
}

}  // namespace
}  // namespace sotto
