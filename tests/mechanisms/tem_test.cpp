#include "mechanisms/tem/tem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "core/uniform.h"
#include "mechanisms/build.h"
#include "sotto/error.h"
#include "support/models.h"
#include "support/sampling.h"

namespace sotto {
namespace {

using test::gaussian_model;
using test::kLine;
using test::line_model;

std::vector<double> law_of(const WordMechanism& mechanism, std::size_t word) {
  std::vector<double> law = mechanism.log_law(word_id(word)).value();
  for (double& value : law) value = std::exp(value);
  return law;
}

std::shared_ptr<const Tem> make_tem(const std::shared_ptr<const Model>& model, ExponentialLaw law) {
  return std::make_shared<Tem>(Space::make(model, Metric::euclidean), std::move(law));
}

TEST(Tem, RowOfTheFourWordLine) {  // docs/specification.md section 4
  const Mechanism tem = build_uncertified("tem", line_model(kLine), {{"epsilon", "1"}, {"gamma", "inf"}});
  const std::vector<double> row = law_of(*tem.words, 0);
  const double expected[] = {.4930065201, .2990235699, .1412487329, .0667211770};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(row[i], expected[i], 1e-10);
}

TEST(Tem, BaseWeightsThatMakeTheNormaliserFlat) {  // docs/specification.md section 4.2, `flat` on a line
  const auto tem = make_tem(
      line_model(kLine),
      {.slope = 1, .gamma = INFINITY, .base_weights = {.7310585786, .5486330548, .6351489524, .8175744762}});
  const std::vector<double> row = law_of(*tem, 0);
  const double expected[] = {.7310585786, .2018308216, .0521362009, .0149743989};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(row[i], expected[i], 1e-9);
  for (std::size_t w = 0; w < 4; ++w) EXPECT_NEAR(tem->log_partition(word_id(w)), 0, 1e-9);
}

// The law is written out here in the obvious way; the sampler is held to log_law below, and log_law to this.
TEST(Tem, LawIsTheFormula) {
  const auto model = gaussian_model({.words = 400, .dim = 6});
  const auto space = Space::make(model, Metric::euclidean);
  std::vector<double> weights(400);
  for (std::size_t y = 0; y < 400; ++y) weights[y] = 0.5 + static_cast<double>(y % 7);
  const auto tem = make_tem(model, {.slope = 1.7, .gamma = 3.1, .base_weights = weights});
  for (const std::size_t w : {0U, 5U, 399U}) {
    double z = 0;
    for (std::size_t y = 0; y < 400; ++y) {
      z += weights[y] * std::exp(-1.7 * std::min(space->distance(word_id(w), word_id(y)), 3.1));
    }
    const std::vector<double> row = law_of(*tem, w);
    for (std::size_t y = 0; y < 400; ++y) {
      const double p =
          weights[y] * std::exp(-1.7 * std::min(space->distance(word_id(w), word_id(y)), 3.1)) / z;
      EXPECT_NEAR(row[y] / p, 1, 1e-12);
    }
  }
}

TEST(Tem, GammaFollowsFromBeta) {
  const auto model = gaussian_model({.words = 1000, .dim = 4});
  const Mechanism tem = build_uncertified("tem", model, {{"epsilon", "2"}});
  const auto& law = dynamic_cast<const Tem&>(*tem.words).law();
  EXPECT_DOUBLE_EQ(law.slope, 1.0);
  EXPECT_DOUBLE_EQ(law.gamma, std::log(.999 * 999 / .001));
}

TEST(Tem, RefusesWhatHasNoLaw) {
  EXPECT_THROW(build_uncertified("tem", line_model({1}), {{"epsilon", "1"}}), Error);
  try {
    build_uncertified("tem", line_model({0, 1}), {{"epsilon", "1"}, {"beta", "0.6"}});
    FAIL() << "gamma would be negative";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("below 0.5"));
  }
}

// n = 1,000 is far beyond the head, so that the tail and its rejection carry real mass at small slopes.
// 2 x 5 suites of one chi-squared test each: false-alarm rate 1e-8 in all.
TEST(Tem, SamplesFollowTheLawThroughHeadAndTail) {
  const auto model = gaussian_model({.words = 1000, .dim = 8, .scale = 1, .seed = 3});
  std::vector<double> weights(1000);
  for (std::size_t y = 0; y < 1000; ++y) weights[y] = 0.25 + static_cast<double>(y % 11);
  Rng rng = Rng::seeded_not_private(11);
  for (const bool weighted : {false, true}) {
    for (const auto& [slope, gamma] :
         {std::pair{0.01, 1e9}, {1.0, 1e9}, {2.0, 3.0}, {3.0, 1.5}, {6.0, 1e9}}) {
      const auto tem = make_tem(
          model,
          {.slope = slope, .gamma = gamma, .base_weights = weighted ? weights : std::vector<double>{}});
      const auto counts = test::sample_counts(*tem, word_id(42), 1000, 400000, rng);
      EXPECT_GT(test::fit(counts, law_of(*tem, 42)), test::kFalseAlarm)
          << slope << " " << gamma << " " << weighted;
    }
  }
}

// 1,000 words at 7 places: the head ends in the middle of words at one distance, which only the index tells
// apart.
TEST(Tem, SamplesFollowTheLawWhenTiesCrossTheEndOfTheHead) {
  std::vector<float> places;
  places.reserve(1000);
  for (int i = 0; i < 1000; ++i) places.push_back(static_cast<float>((i * i) % 7));
  const auto tem = make_tem(line_model(places), {.slope = 0.5, .gamma = 1e9, .base_weights = {}});
  Rng rng = Rng::seeded_not_private(13);
  const auto counts = test::sample_counts(*tem, word_id(500), 1000, 400000, rng);
  EXPECT_GT(test::fit(counts, law_of(*tem, 500)), test::kFalseAlarm);
}

// Words a few units in the last place apart, and words a million times as long as the others, beside which
// the error bound of the scores exceeds every other distance. Steep slopes tell near-duplicates apart.
TEST(Tem, SamplesFollowTheLawAmongNearDuplicatesAndOutliers) {
  constexpr std::size_t kWords = 1000;
  constexpr std::size_t kDim = 8;
  const auto base = gaussian_model({.words = kWords, .dim = kDim, .scale = 1, .seed = 21});
  std::vector<std::string> words;
  std::vector<float> vectors;
  for (std::size_t i = 0; i < kWords; ++i) {
    words.push_back("w" + std::to_string(i));
    // The second half are near-duplicates of the first 20 words, 25 of each; the last five are outliers.
    const auto vector = base->vector(word_id(i < kWords / 2 ? i : i % 20));
    std::size_t digits = i < kWords / 2 ? 0 : i / 20;  // to the base 3: units in the last place
    for (const float x : vector) {
      float value = x;
      for (std::size_t k = 0; k < digits % 3; ++k) value = std::nextafter(value, 9.0F);
      digits /= 3;
      vectors.push_back(i >= kWords - 5 ? 1e6F * value : value);
    }
  }
  const auto model = Model::from_words(words, vectors, kDim);
  ASSERT_EQ(Space::make(model, Metric::euclidean)->merged_words(), 0U);
  Rng rng = Rng::seeded_not_private(22);
  for (const double slope : {0.8, 30.0, 3e6}) {
    const auto tem = make_tem(model, {.slope = slope, .gamma = 1e9, .base_weights = {}});
    for (const std::size_t word : {7UL, 507UL, 300UL, kWords - 1}) {
      const auto counts = test::sample_counts(*tem, word_id(word), kWords, 200000, rng);
      EXPECT_GT(test::fit(counts, law_of(*tem, word)), test::kFalseAlarm) << slope << ' ' << word;
    }
  }
}

// The two right pairings of a tail must not be mixed (docs/specification.md section 4.3): with the mass of
// all words and a proposal that is redrawn until it lies outside the head, every tail word weighs n / (n - K)
// of its due. The test above must see that.
TEST(Tem, ChiSquaredSeesMixedPairings) {
  const auto model = gaussian_model({.words = 1000, .dim = 8, .scale = 1, .seed = 3});
  const auto tem = make_tem(model, {.slope = 1, .gamma = 1e9, .base_weights = {}});
  const std::vector<double> law = law_of(*tem, 42);
  std::vector<double> sorted = law;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  std::vector<double> sums;
  sums.reserve(law.size());
  double sum = 0;
  for (const double p : law) sums.push_back(sum += p > sorted[256] ? p : p * 1000 / 744);
  Rng rng = Rng::seeded_not_private(12);
  std::vector<std::uint64_t> counts(1000, 0);
  for (int i = 0; i < 400000; ++i) ++counts[choose_by_sums(rng, sums)];
  EXPECT_LT(test::fit(counts, law), test::kFalseAlarm);
}

TEST(Tem, NoOutputIsImpossibleHoweverLargeEpsilonIs) {
  const Mechanism tem =
      build_uncertified("tem", line_model({0, 1, 5000}), {{"epsilon", "10"}, {"gamma", "inf"}});
  for (std::size_t w = 0; w < 3; ++w) {
    const std::vector<double> law = tem.words->log_law(word_id(w)).value();
    for (const double value : law) EXPECT_GT(value, -701);
  }
  EXPECT_DOUBLE_EQ(dynamic_cast<const Tem&>(*tem.words).law().gamma, 140);
  EXPECT_THAT(tem.claim.guarantee, ::testing::HasSubstr("10 * min(d, 140)"));
  EXPECT_THAT(tem.claim.caveat, ::testing::HasSubstr("lowered from inf to 140"));
  const Mechanism small = build_uncertified("tem", line_model({0, 1}), {{"epsilon", "10"}, {"gamma", "inf"}});
  EXPECT_THAT(small.claim.guarantee, ::testing::HasSubstr("exp(10 * d)"));
  EXPECT_TRUE(small.claim.caveat.empty());
}

TEST(Tem, WordsThatShareARowHaveOneLaw) {
  const auto model = line_model({0, 1, 0, 3});
  const Mechanism tem = build_uncertified("tem", model, {{"epsilon", "1"}});
  EXPECT_EQ(tem.words->log_law(word_id(0)), tem.words->log_law(word_id(2)));
}

// Scores in float32 differ between SIMD targets; what is drawn does not.
TEST(Tem, ASeededRunIsTheSameOnEverySimdTarget) {
  const auto space =
      Space::make(test::gaussian_model({.words = 3000, .dim = 20, .seed = 4}), Metric::euclidean);
  std::vector<WordId> in;
  for (std::size_t i = 0; i < 4000; ++i) in.push_back(word_id(i * 7 % 3000));
  std::vector<WordId> first;
  for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    hwy::SetSupportedTargetsForTest(rest & -rest);
    const Tem tem(space, {.slope = 0.7, .gamma = 6, .base_weights = {}});
    std::vector<WordId> out(in.size());
    Rng rng = Rng::seeded_not_private(9);
    tem.sample_batch(in, out, rng);
    if (first.empty()) first = out;
    EXPECT_TRUE(out == first) << hwy::TargetName(rest & -rest);
  }
  hwy::SetSupportedTargetsForTest(0);
}

// After many draws sketches decide most candidates, and nothing that is drawn changes by that.
TEST(Tem, SketchesChangeNoAnswer) {
  const auto space =
      Space::make(gaussian_model({.words = 3000, .dim = 20, .scale = 1, .seed = 4}), Metric::euclidean);
  const ExponentialLaw law{.slope = 0.7, .gamma = 6, .base_weights = {}};
  std::vector<WordId> in;
  for (std::size_t i = 0; i < 20000; ++i) in.push_back(word_id(i * 7 % 3000));
  const auto drawn = [&](const Tem& tem) {
    std::vector<WordId> out(in.size());
    Rng rng = Rng::seeded_not_private(9);
    tem.sample_batch(in, out, rng);
    return out;
  };
  const Tem few(space, law);
  const Tem many(space, law);
  Rng rng = Rng::seeded_not_private(10);
  (void)test::sample_counts(many, word_id(5), 3000, 100000, rng);
  EXPECT_EQ(drawn(few), drawn(many));
}

TEST(Tem, FirstUsesFromManyThreadsGiveOneAnswer) {
  const auto model = gaussian_model({.words = 700, .dim = 4});
  const auto draw_all = [&](const Tem& tem, std::uint64_t stream) {
    Rng rng = Rng::seeded_not_private(9, stream);
    std::vector<WordId> in;
    for (std::size_t w = 0; w < 700; ++w) in.push_back(word_id((w * 13) % 700));
    std::vector<WordId> out(in.size());
    tem.sample_batch(in, out, rng);
    return out;
  };
  const auto shared = make_tem(model, {.slope = 1, .gamma = 5, .base_weights = {}});
  std::vector<std::vector<WordId>> together(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < 4; ++t) threads.emplace_back([&, t] { together[t] = draw_all(*shared, t); });
  }
  for (std::size_t t = 0; t < 4; ++t) {
    EXPECT_EQ(together[t], draw_all(*make_tem(model, {.slope = 1, .gamma = 5, .base_weights = {}}), t));
  }
}

}  // namespace
}  // namespace sotto
