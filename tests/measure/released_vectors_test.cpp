#include "measure/released_vectors.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/error.h"
#include "sotto/measurement.h"
#include "support/models.h"

namespace sotto {
namespace {

using Domain = VectorInput::Domain;

Mechanism privemb(const std::shared_ptr<const Model>& model, ParameterTexts texts) {
  Mechanism mechanism = build_vector_mechanism(
      "privemb", {.model = model, .domain = Domain::words, .dim = model->dim()}, texts);
  mechanism.space = Space::make(model, Metric::euclidean);
  return mechanism;
}

// Words at 0 and 1 of a line, laplace noise: the best guess errs with probability e^(-epsilon / 2) / 2 if
// both are equally likely. With prior weight p > 1/2 on the first word and odds r = p / (1 - p) <= e^epsilon
// the threshold moves by ln(r) / (2 epsilon).
struct OneLine {
  double epsilon;
  double prior;
};
double exact_error(const OneLine& line) {
  const double shift = std::log(line.prior / (1 - line.prior)) / (2 * line.epsilon);
  return line.prior * std::exp(-line.epsilon * (0.5 + shift)) / 2 +
         (1 - line.prior) * std::exp(-line.epsilon * (0.5 - shift)) / 2;
}

TEST(ReleasedVectors, ErrorsOfTwoWordsOnALine) {
  const auto model = Model::from_words({"left", "right"}, {0.0F, 1.0F}, 1);
  for (const OneLine& line : {OneLine{1, 0.5}, OneLine{3, 0.5}, OneLine{3, 0.7}}) {
    const Mechanism mechanism =
        privemb(model, {{"epsilon", std::to_string(line.epsilon)}, {"projection", "none"}});
    const Prior prior =
        weighted_prior(model, std::vector<WordWeight>{{"left", line.prior}, {"right", 1 - line.prior}});
    const ReleasedWords released = released_words(*mechanism.vectors, *model, 1);
    const VectorAttacker attacker(released, prior);
    constexpr std::size_t kDraws = 40'000;
    const auto guesses =
        attacker.guess({.count = kDraws, .copies = 4}, RandomSource::seeded_not_private(5), {});
    ASSERT_EQ(guesses.size(), 3U);  // 1, 2 and 4 releases
    double best = 0;
    double posterior = 0;
    double nearest = 0;
    double four = 0;
    for (const VectorGuess& guess : guesses[0]) {
      best += guess.best / kDraws;
      posterior += guess.posterior / kDraws;
      nearest += guess.nearest / kDraws;
    }
    for (const VectorGuess& guess : guesses[2]) four += guess.best / kDraws;
    // Values in [0, 1/2] and [0, 1]: 6.2 standard deviations, rate 1e-9.
    EXPECT_NEAR(best, exact_error(line), 6.2 * 0.25 / std::sqrt(kDraws));
    EXPECT_NEAR(nearest, std::exp(-line.epsilon / 2) / 2, 6.2 * 0.5 / std::sqrt(kDraws));
    EXPECT_LE(best, posterior);
    EXPECT_LE(posterior, 2 * best + 1e-12);
    EXPECT_LT(four, best);
  }
}

// The guess by the posterior is the best one: played on the draws themselves it errs as often as promised.
TEST(ReleasedVectors, ThePosteriorIsCalibrated) {
  const auto model = test::gaussian_model({.words = 40, .dim = 6, .scale = 1, .seed = 17});
  const Mechanism mechanism =
      privemb(model, {{"epsilon", "4"}, {"dimension", "3"}, {"projection", "gaussian"}});
  const Prior prior = uniform_prior(*model);
  const ReleasedWords released = released_words(*mechanism.vectors, *model, 1);
  constexpr std::size_t kDraws = 20'000;
  const auto guesses =
      VectorAttacker(released, prior).guess({.count = kDraws}, RandomSource::seeded_not_private(6), {});
  double promised = 0;
  double seen = 0;  // under a uniform prior the likeliest word is the nearest
  for (const VectorGuess& guess : guesses.front()) {
    promised += guess.best / kDraws;
    seen += guess.nearest / kDraws;
  }
  EXPECT_GT(promised, 0.1);
  EXPECT_LT(promised, 0.9);
  EXPECT_NEAR(promised, seen, 6.2 * 0.5 / std::sqrt(kDraws) * 1.5);
}

TEST(ReleasedVectors, AreMeasured) {
  const auto model = test::gaussian_model({.words = 40, .dim = 6, .scale = 1, .seed = 17});
  const Mechanism mechanism = privemb(model, {{"epsilon", "4"}, {"dimension", "3"}});
  Labels labels{.names = {"even", "odd"}, .of = std::vector<std::int32_t>(40, Labels::kNone)};
  for (std::size_t w = 0; w < 20; ++w) labels.of[w] = static_cast<std::int32_t>(w % 2);
  MeasureQuestion question{
      .prior = uniform_prior(*model), .labels = labels, .draws = 3000, .seed_not_private = 7};
  const Measurement found = measure(mechanism, question, {.threads = 2});
  const Measurement again = measure(mechanism, question, {.threads = 1});
  const BandMeasurement& all = found.overall();
  for (const char* name : {"constant_guess", "e_opt", "e_post", "e_nearest", "noise_length",
                           "constant_guess_label", "e_opt_label", "e_opt_copies_1", "e_opt_copies_8"}) {
    ASSERT_NE(all.find(name), nullptr) << name;
    EXPECT_EQ(all.find(name)->value, again.overall().find(name)->value) << name << ": threads change nothing";
  }
  EXPECT_NEAR(*all.find("noise_length")->value, 3.0 / 4, 1e-9);
  EXPECT_LT(*all.find("e_opt")->value, *all.find("constant_guess")->value);
  EXPECT_LE(*all.find("e_opt_label")->value, *all.find("constant_guess_label")->value + 0.05);
  EXPECT_LT(*all.find("e_opt_copies_8")->value, *all.find("e_opt_copies_1")->value);
  EXPECT_EQ(found.draws, 3000U);
  EXPECT_GT(found.bands.size(), 1U);
}

class Secretive final : public VectorMechanism {
 public:
  [[nodiscard]] std::size_t input_dim() const override { return 6; }
  [[nodiscard]] std::size_t output_dim() const override { return 6; }
  void release_batch(std::span<const double>, std::span<double>, Rng&) const override {}
};

TEST(ReleasedVectors, OfAnUnknownLawAreRefused) {
  const auto model = test::gaussian_model({.words = 4, .dim = 6, .scale = 1, .seed = 17});
  EXPECT_THROW((void)released_words(Secretive(), *model, 1), Error);
}

}  // namespace
}  // namespace sotto
