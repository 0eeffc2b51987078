#include "api/illustration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sotto/prior.h"
#include "support/models.h"

namespace sotto::api {
namespace {

using testing::HasSubstr;

IllustrationRequest illustration_request(const std::shared_ptr<const Model>& model,
                                         std::string_view mechanism, const ParameterTexts& texts,
                                         std::uint64_t seed = 1) {
  CertifiedMechanism built = build_mechanism(mechanism, model, texts);
  return {.privatizer = Privatizer(built.mechanism, {}),
          .expected = {.unchanged = 0.25, .unchanged_margin = 0.01},
          .seed_not_private = seed};
}

// Doctor and nurse at 1, doctor and pizza at 4, and two pairs between.
std::shared_ptr<const Model> english() {
  return Model::from_words({"doctor", "nurse", "london", "paris", "good", "bad", "pizza", "something"},
                           std::vector<float>{0, 1, 10, 11.5, 20, 22, 4, 30}, 1);
}

// The best attacker's success, from the laws of all words and outputs.
double success_by_hand(const Mechanism& mechanism, int releases) {
  const Prior prior = frequency_rank_prior(mechanism.space->model());
  const std::size_t n = prior.weights.size();
  std::vector<std::vector<double>> law(n);
  for (std::size_t w = 0; w < n; ++w) {
    law[w] = mechanism.words->log_law(word_id(w)).value();
    for (double& p : law[w]) p = std::exp(p);
  }
  double right = 0;
  for (std::size_t first = 0; first < n; ++first) {
    for (std::size_t second = 0; second < (releases == 2 ? n : 1); ++second) {
      double best = 0;
      for (std::size_t w = 0; w < n; ++w) {
        best = std::max(best, prior.weights[w] * law[w][first] * (releases == 2 ? law[w][second] : 1));
      }
      right += best;
    }
  }
  return right;
}

TEST(Illustration, OddsOfExampleWordsNeverExceedTheClaim) {
  const Illustration shown =
      illustrate(illustration_request(english(), "tem", {{"epsilon", "1"}, {"gamma", "inf"}}), {});
  ASSERT_EQ(shown.odds.size(), 4U);
  EXPECT_EQ(shown.odds.front().to.basis, Odds::Basis::theorem);
  EXPECT_EQ(shown.odds.front().to.other.distance, 1);
  EXPECT_NEAR(shown.odds.front().to.other.loss.value(), 1, 1e-12);
  EXPECT_EQ(shown.odds.back().to.other.distance, 4);  // the farthest last
  EXPECT_NEAR(shown.odds.back().to.other.loss.value(), 4, 1e-12);
}

// Mahalanobis noise promises epsilon times its own norm, not times the Euclidean distance.
TEST(Illustration, OddsAreInTheMechanismsOwnNorm) {
  const IllustrationRequest request = illustration_request(english(), "mahalanobis", {{"epsilon", "1"}});
  const Illustration shown = illustrate(request, {});
  const ExampleOdds& nearest = shown.odds.front();
  EXPECT_EQ(nearest.to.other.loss,
            request.privatizer.mechanism().loss_bound(nearest.first, nearest.to.other.word));
}

TEST(Illustration, AnotherLanguageHasOddsToo) {
  const auto model = test::line_model({0, 1, 2.5, 4});
  const Illustration shown = illustrate(illustration_request(model, "tem", {{"epsilon", "1"}}), {});
  EXPECT_GE(shown.odds.size(), 2U);
}

// 1,200 trials, five standard deviations: false alarms below 1e-6.
TEST(Illustration, GuessesAreThoseOfTheBestAttacker) {
  for (const char* epsilon : {"0.5", "2"}) {
    const IllustrationRequest request =
        illustration_request(english(), "tem", {{"epsilon", epsilon}, {"gamma", "inf"}});
    const Guesses guesses = illustrate(request, {}).guesses;
    const Mechanism& mechanism = request.privatizer.mechanism();
    EXPECT_EQ(guesses.basis, Guesses::Basis::posterior);
    EXPECT_NEAR(guesses.all.once, success_by_hand(mechanism, 1), 2.6 * guesses.all.once_margin);
    EXPECT_NEAR(guesses.all.twice.value(), success_by_hand(mechanism, 2), 2.6 * guesses.all.twice_margin);
    EXPECT_GT(guesses.all.twice.value(), guesses.all.once);
    EXPECT_GT(guesses.all.once, guesses.all.blind);
    EXPECT_FALSE(guesses.content.has_value());
  }
}

TEST(Illustration, UniformOutputsTellNothing) {
  const Guesses guesses = illustrate(illustration_request(english(), "uniform", {}), {}).guesses;
  EXPECT_EQ(guesses.basis, Guesses::Basis::nothing);
  EXPECT_EQ(guesses.all.once, guesses.all.blind);
}

// An estimated law is judged by hits: it must not claim more than an attacker could reach.
TEST(Illustration, WithoutAClosedLawTheAttackerEstimatesIt) {
  const Guesses guesses =
      illustrate(illustration_request(english(), "laplace", {{"epsilon", "50"}}), {}).guesses;
  EXPECT_EQ(guesses.basis, Guesses::Basis::posterior);
  EXPECT_GT(guesses.all.once, 0.99);
}

TEST(Illustration, LinesAreInventedAndDrawnAfresh) {
  const IllustrationRequest request = illustration_request(english(), "tem", {{"epsilon", "1"}});
  const Illustration one = illustrate(request, {});
  ASSERT_EQ(one.lines.size(), 10U);
  EXPECT_THAT(one.lines.front().before, HasSubstr("doctor"));
  for (const ExampleLine& line : one.lines) EXPECT_NE(line.before, line.after);
  // The same seed gives the same lines, another one others; without a seed they are fresh.
  EXPECT_EQ(one.lines.front().after, illustrate(request, {}).lines.front().after);
  const auto all = [](const Illustration& shown) {
    std::string text;
    for (const ExampleLine& line : shown.lines) text += line.after;
    return text;
  };
  IllustrationRequest fresh = request;
  fresh.seed_not_private.reset();
  EXPECT_NE(all(illustrate(fresh, {})), all(illustrate(fresh, {})));
}

}  // namespace
}  // namespace sotto::api
