#include "sotto/forecast.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/uniform.h"
#include "sotto/error.h"
#include "text/fake_mechanism.h"

namespace sotto {
namespace {

using test::fake_mechanism;
using test::FakeWords;
using test::identity_mechanism;

// Keeps the word with probability `keep`, else gives word 0 or 1, another one. May tell its law.
class Coin final : public WordMechanism {
 public:
  enum class Law { told, hidden };
  Coin(std::size_t words, double keep, Law law) : words_(words), keep_(keep), law_(law) {}

  void sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& rng) const override {
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = bernoulli(rng, keep_) ? in[i] : other(in[i]);
  }
  [[nodiscard]] std::optional<std::vector<double>> log_law(WordId word) const override {
    if (law_ == Law::hidden) return std::nullopt;
    std::vector<double> law(words_, -std::numeric_limits<double>::infinity());
    law[index_of(word)] = std::log(keep_);
    law[index_of(other(word))] = std::log1p(-keep_);
    return law;
  }

 private:
  static WordId other(WordId word) { return word_id(index_of(word) == 0 ? 1 : 0); }

  std::size_t words_;
  double keep_;
  Law law_;
};

std::shared_ptr<const Model> line(std::size_t count, float gap) {
  std::vector<std::string> words;
  std::vector<float> places;
  for (std::size_t i = 0; i < count; ++i) {
    words.push_back("w" + std::to_string(i));
    places.push_back(gap * static_cast<float>(i));
  }
  return Model::from_words(words, places, 1);
}

Forecast coin_forecast(double keep, Coin::Law law, const ForecastOptions& options = {}) {
  return forecast(fake_mechanism(line(500, 1), std::make_shared<Coin>(500, keep, law)), options);
}

TEST(Forecast, ExactLawGivesTheExactShare) {
  const Forecast result = coin_forecast(0.3, Coin::Law::told);
  EXPECT_NEAR(result.unchanged, 0.3, 1e-12);
  EXPECT_GT(result.unchanged_margin, 0);
}

// The seed is fixed, so the outcome is too; for a fresh seed the interval would miss about 1 time in 20.
TEST(Forecast, DrawsGiveTheShareWithinTheMargin) {
  const Forecast result = coin_forecast(0.3, Coin::Law::hidden);
  EXPECT_NE(result.unchanged, 0.3);
  // Were the words to share one stream, all would give the same share of the 16 draws.
  EXPECT_NE(result.unchanged * 16, std::round(result.unchanged * 16));
  EXPECT_NEAR(result.unchanged, 0.3, result.unchanged_margin);
  EXPECT_LT(result.unchanged_margin, 0.06);
}

TEST(Forecast, CertainOutcomesStillHaveAMargin) {
  const auto model = line(500, 1);
  const Forecast kept = forecast(identity_mechanism(model), {.words = 100});
  EXPECT_EQ(kept.unchanged, 1);
  EXPECT_DOUBLE_EQ(kept.unchanged_margin, 0.03);
  const auto change =
      std::make_shared<FakeWords>([](WordId id) { return word_id((index_of(id) + 1) % 500); });
  const Forecast changed = forecast(fake_mechanism(model, change), {.words = 100});
  EXPECT_EQ(changed.unchanged, 0);
  EXPECT_DOUBLE_EQ(changed.unchanged_margin, 0.03);
}

// Words 0..9 stay, the others change: the share is the prior's mass of the first ten.
TEST(Forecast, WordsWeighByThePublicPrior) {
  const auto model = line(500, 1);
  const auto rule =
      std::make_shared<FakeWords>([](WordId id) { return index_of(id) < 10 ? id : word_id(0); });
  const Forecast result = forecast(fake_mechanism(model, rule), {.words = 2000});
  const auto prior = rank_prior(*model);
  double mass = 0;
  for (std::size_t i = 0; i < 10; ++i) mass += prior[i];
  EXPECT_NEAR(result.unchanged, mass, result.unchanged_margin);
  EXPECT_GT(mass, 0.1);
  EXPECT_LT(result.unchanged_margin, 0.03);
  EXPECT_GT(result.unchanged_margin, 0.01);  // the spread of words is in it, not only the draws' noise
}

TEST(Forecast, NearestDistanceScalesByEpsilon) {
  const Forecast result = forecast(identity_mechanism(line(50, 0.25F)), {.words = 64});
  EXPECT_DOUBLE_EQ(result.median_nearest, 0.25);
  EXPECT_DOUBLE_EQ(result.scaled_nearest, 0.5);  // epsilon 2
}

TEST(Forecast, WordsAtDistanceZeroAreNotNeighbours) {
  const auto twins = Model::from_words({"a", "b", "c"}, {1, 1, 4}, 1);
  EXPECT_DOUBLE_EQ(forecast(identity_mechanism(twins), {.words = 64}).median_nearest, 3);
}

TEST(Forecast, SameAtAnyNumberOfThreads) {
  const Forecast one = coin_forecast(0.5, Coin::Law::hidden, {.threads = 1});
  const Forecast three = coin_forecast(0.5, Coin::Law::hidden, {.threads = 3});
  EXPECT_EQ(one.unchanged, three.unchanged);
  EXPECT_EQ(one.unchanged_margin, three.unchanged_margin);
  EXPECT_EQ(one.median_nearest, three.median_nearest);
}

TEST(Forecast, StrengthIsByTheShareThatStays) {
  EXPECT_EQ(strength_of(0), Strength::ok);
  EXPECT_EQ(strength_of(0.5), Strength::ok);
  EXPECT_EQ(strength_of(0.501), Strength::weak);
  EXPECT_EQ(strength_of(0.9), Strength::weak);
  EXPECT_EQ(strength_of(0.901), Strength::none);
  EXPECT_EQ(strength_of(std::nan("")), Strength::none);
}

// Words far apart against noise of mean length dim / epsilon.
TEST(Forecast, VectorsOfWordsStayWhereTheNoiseIsShort) {
  const auto model = line(40, 10);
  const auto share = [&](const char* epsilon, unsigned threads) {
    const Mechanism mechanism =
        build_vector_mechanism("privemb", {.model = model, .domain = VectorInput::Domain::words, .dim = 1},
                               {{"epsilon", epsilon}, {"dimension", "1"}});
    return vector_forecast(mechanism, *model, threads).value();
  };
  EXPECT_EQ(share("100", 1).unchanged, 1);
  EXPECT_GT(share("100", 1).unchanged_margin, 0);
  EXPECT_LT(share("0.001", 1).unchanged, 0.2);
  // Laplace noise of scale 1 / 0.2 = 5 stays within the half distance 5 with probability 1 - 1/e = 0.632, and
  // a little more at the ends. 256 draws: 6 standard deviations are 0.18, a false alarm in 10^8 seeds.
  EXPECT_NEAR(share("0.2", 1).unchanged, 0.64, 0.19);
  EXPECT_EQ(share("0.2", 1).unchanged, share("0.2", 3).unchanged);
}

// A sample of 256 words has three different ones here: each is drawn as often as it stands in the sample, so
// 4,096 draws are made. 6 standard deviations are 0.047; with 16 draws for each word they would be 0.45.
TEST(Forecast, FewWordsAreDrawnOften) {
  const Forecast result =
      forecast(fake_mechanism(line(3, 1), std::make_shared<Coin>(3, 0.5, Coin::Law::hidden)), {});
  EXPECT_NEAR(result.unchanged, 0.5, 0.047);
  EXPECT_LT(result.unchanged_margin, 0.08);
}

TEST(Forecast, RefusesNothingToDraw) {
  const auto mechanism = identity_mechanism(line(3, 1));
  EXPECT_THROW(forecast(mechanism, {.words = 0}), Error);
  EXPECT_THROW(forecast(mechanism, {.draws_per_word = 0}), Error);
}

}  // namespace
}  // namespace sotto
