#include "lab/statistics.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "core/samplers.h"

namespace sotto::lab {
namespace {

TEST(Statistics, IntervalOfThreeTrialsIsStudents) {
  const std::array values = {1.0, 2.0, 3.0};
  const TrialMean result = trial_mean(values);
  EXPECT_DOUBLE_EQ(result.mean, 2);
  EXPECT_NEAR(result.interval.high - 2, 4.3027 / std::sqrt(3.0), 1e-9);
  EXPECT_NEAR(2 - result.interval.low, 4.3027 / std::sqrt(3.0), 1e-9);
}

TEST(Statistics, OneTrialHasNoInterval) {
  const std::array values = {0.5};
  EXPECT_TRUE(std::isnan(trial_mean(values).interval.low));
  EXPECT_TRUE(std::isnan(trial_mean({}).mean));
}

// 2,000 intervals of n normal values; the number that miss is Binomial(2000, .05): outside 60..142 with
// probability 4e-5 for each n. The second n is past the table of quantiles.
TEST(Statistics, IntervalsCoverNineteenTimesInTwenty) {
  Rng rng = Rng::seeded_not_private(7);
  for (const std::size_t count : {std::size_t{3}, std::size_t{25}}) {
    int missed = 0;
    for (int i = 0; i < 2000; ++i) {
      std::vector<double> values(count);
      for (double& value : values) value = gaussian(rng);
      const Bounds interval = trial_mean(values).interval;
      missed += interval.low > 0 || interval.high < 0 ? 1 : 0;
    }
    EXPECT_GE(missed, 60) << count;
    EXPECT_LE(missed, 142) << count;
  }
}

TEST(Statistics, AreaCountsPairsAndHalfOfTies) {
  const std::vector<float> positive = {1, 2, 2};
  const std::vector<float> negative = {0, 2};
  // 1>0, 2>0, 2>0, and two ties with 2.
  EXPECT_DOUBLE_EQ(area_under_curve({.positive = positive, .negative = negative}), (3 + 1.0) / 6);
  EXPECT_DOUBLE_EQ(area_under_curve({.positive = negative, .negative = positive}), (0 + 1 + 1.0) / 6);
  EXPECT_TRUE(std::isnan(area_under_curve({.positive = {}, .negative = negative})));
}

TEST(Statistics, AccuracyAtMedianDoesNotCareForAShift) {
  const std::vector<float> positive = {11, 12, 13};
  const std::vector<float> negative = {10, 9, 8};
  const ScoredClasses shifted{.positive = positive, .negative = negative};
  EXPECT_DOUBLE_EQ(accuracy_at_zero(shifted), 0.5);
  EXPECT_DOUBLE_EQ(accuracy_at_median(shifted), 1);
}

TEST(Statistics, EqualScoresAreChance) {
  const std::vector<float> same(10, 1.0F);
  const ScoredClasses scores{.positive = same, .negative = same};
  EXPECT_DOUBLE_EQ(accuracy_at_median(scores), 0.5);
  EXPECT_DOUBLE_EQ(area_under_curve(scores), 0.5);
}

}  // namespace
}  // namespace sotto::lab
