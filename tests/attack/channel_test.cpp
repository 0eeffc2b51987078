#include "attack/channel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sotto/certificate.h"
#include "support/models.h"
#include "support/sampling.h"

namespace sotto {
namespace {

std::vector<float> all_columns(const Mechanism& mechanism, const Channel& channel) {
  std::vector<WordId> outputs;
  for (std::size_t y = 0; y < mechanism.space->size(); ++y) outputs.push_back(word_id(y));
  std::vector<float> out(outputs.size() * outputs.size());
  channel.columns(outputs, out, {.threads = 2});
  return out;
}

// The columns against the law of every word, which the mechanism states itself.
void expect_law(const Mechanism& mechanism) {
  const auto channel = Channel::make(mechanism, {}, {.threads = 2});
  EXPECT_EQ(channel->draws(), 0U);
  const std::size_t n = mechanism.space->size();
  const std::vector<float> columns = all_columns(mechanism, *channel);
  std::vector<std::vector<double>> laws;
  for (std::size_t x = 0; x < n; ++x) laws.push_back(*mechanism.words->log_law(word_id(x)));
  for (std::size_t y = 0; y < n; ++y) {
    double largest = -1e300;
    for (std::size_t x = 0; x < n; ++x) largest = std::max(largest, laws[x][y]);
    for (std::size_t x = 0; x < n; ++x) {
      const double expected = std::exp(laws[x][y] - largest);
      EXPECT_NEAR(columns[y * n + x], expected, 1e-12 + 5e-5 * expected) << x << " " << y;
    }
  }
}

TEST(Channel, IsTheLawOfTem) {
  const auto model = test::gaussian_model({.words = 60, .dim = 4});
  expect_law(build_mechanism("tem", model, {{"epsilon", "3"}}).mechanism);
  expect_law(build_mechanism("tem", model, {{"epsilon", "3"}, {"gamma", "1.5"}}).mechanism);
  expect_law(build_mechanism("tem", model, {{"epsilon", "2"}, {"calibration", "flat"}}).mechanism);
}

// Two words with one vector have one law; a mix-up of rows and words would show.
TEST(Channel, KnowsWordsThatShareAVector) {
  expect_law(
      build_mechanism("tem", test::line_model({0, 1, 1, 3, 3, 5, 7, 0}), {{"epsilon", "1"}}).mechanism);
}

TEST(Channel, IsTheLawOfOtherClosedMechanisms) {
  const auto model = test::gaussian_model({.words = 40, .dim = 3, .scale = 4});
  expect_law(build_mechanism("gumbel-topk", model, {{"epsilon", "40"}}).mechanism);
  expect_law(build_mechanism("uniform", model, {}).mechanism);
}

// Against a million draws of our own. Every estimate is within .03 of the frequency, or of a fifth of it.
TEST(Channel, EstimatesALawThatIsNotClosed) {
  const auto model = test::gaussian_model({.words = 30, .dim = 2});
  const Mechanism mechanism = build_mechanism("laplace", model, {{"epsilon", "3"}}).mechanism;
  const auto channel = Channel::make(mechanism, {.draws = 60'000, .seed_not_private = 3}, {.threads = 2});
  EXPECT_GE(channel->draws(), 60'000U);
  const std::vector<float> columns = all_columns(mechanism, *channel);
  const std::size_t n = model->size();
  constexpr std::size_t kDraws = 30'000;
  Rng rng = Rng::seeded_not_private(9);
  std::vector<std::vector<double>> shares;
  for (std::size_t x = 0; x < n; ++x) {
    const auto counts = test::sample_counts(*mechanism.words, word_id(x), n, kDraws, rng);
    shares.emplace_back(counts.begin(), counts.end());
    for (double& share : shares.back()) share /= kDraws;
  }
  for (std::size_t y = 0; y < n; ++y) {
    double largest = 0;
    for (std::size_t x = 0; x < n; ++x) largest = std::max(largest, shares[x][y]);
    for (std::size_t x = 0; x < n; ++x) {
      EXPECT_GT(columns[y * n + x], 0);  // nothing is impossible because it was not drawn
      // 2,000 draws a word: a standard error of at most .011 / largest, here taken five times.
      EXPECT_NEAR(columns[y * n + x], shares[x][y] / largest, 0.06 / largest) << x << " " << y;
    }
  }
}

// Channels that share a pass over all pairs are those made one by one.
TEST(Channel, TogetherIsAsAlone) {
  const auto model = test::gaussian_model({.words = 90, .dim = 4});
  std::vector<Mechanism> mechanisms;
  for (const char* epsilon : {"1", "2.5", "7"}) {
    mechanisms.push_back(build_mechanism("tem", model, {{"epsilon", epsilon}}).mechanism);
  }
  const auto together = Channel::make_all(mechanisms, {}, {.threads = 2});
  ASSERT_EQ(together.size(), mechanisms.size());
  const std::vector<WordId> outputs = {word_id(0), word_id(41), word_id(89)};
  std::vector<float> one(outputs.size() * 90);
  std::vector<float> other(one.size());
  for (std::size_t i = 0; i < mechanisms.size(); ++i) {
    together[i]->columns(outputs, one, {});
    Channel::make(mechanisms[i], {}, {.threads = 1})->columns(outputs, other, {});
    EXPECT_EQ(one, other) << i;
  }
}

}  // namespace
}  // namespace sotto
