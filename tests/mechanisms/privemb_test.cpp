#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "core/distributions.h"
#include "core/samplers.h"
#include "mechanisms/privemb/private_vectors.h"
#include "sotto/error.h"
#include "sotto/mechanism.h"
#include "support/models.h"

namespace sotto {
namespace {

using ::testing::HasSubstr;
using Domain = VectorInput::Domain;

std::shared_ptr<const Model> small_model() {
  return test::gaussian_model({.words = 60, .dim = 8, .scale = 1, .seed = 91});
}
VectorInput free_input(std::size_t dim) {
  return {.domain = Domain::free, .dim = dim};
}
VectorInput word_input() {
  return {.model = small_model(), .domain = Domain::words, .dim = 8};
}

std::string fact(const Mechanism& mechanism, std::string_view name) {
  for (const auto& [key, value] : mechanism.facts) {
    if (key == name) return value;
  }
  return "";
}

double sensitivity(const Mechanism& mechanism) {
  return std::stod(fact(mechanism, "sensitivity"));
}

void expect_refused(const VectorInput& input, const ParameterTexts& texts, const char* reason) {
  try {
    build_vector_mechanism("privemb", input, texts);
    FAIL() << reason;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_THAT(error.what(), HasSubstr(reason));
  }
}

TEST(Privemb, ChoosesTheProjectionByWhatIsPublic) {
  const ParameterTexts texts = {{"epsilon", "2"}, {"dimension", "3"}};
  const Mechanism without = build_vector_mechanism("privemb", free_input(8), texts);
  EXPECT_THAT(fact(without, "projection"), HasSubstr("orthonormal, from the public seed 1"));
  EXPECT_EQ(sensitivity(without), 1 + 1e-12);
  const Mechanism words = build_vector_mechanism("privemb", word_input(), texts);
  EXPECT_THAT(fact(words, "projection"), HasSubstr("pca"));
  EXPECT_EQ(sensitivity(words), 1 + 1e-12);
  EXPECT_EQ(words.vectors->input_dim(), 8U);
  EXPECT_EQ(words.vectors->output_dim(), 3U);
  EXPECT_EQ(words.claim.status, Status::proven);
  EXPECT_EQ(words.claim.epsilon, 2);
  EXPECT_EQ(words.words, nullptr);
  const Mechanism none =
      build_vector_mechanism("privemb", free_input(8), {{"epsilon", "2"}, {"projection", "none"}});
  EXPECT_EQ(none.vectors->output_dim(), 8U);
  EXPECT_EQ(sensitivity(none), 1);
}

TEST(Privemb, ChoosesTheSensitivityByWhatIsReleased) {
  const ParameterTexts texts = {{"epsilon", "2"}, {"dimension", "3"}, {"projection", "gaussian"}};
  const Mechanism everything = build_vector_mechanism("privemb", free_input(8), texts);
  EXPECT_THAT(fact(everything, "sensitivity"), HasSubstr("(spectral)"));
  const Mechanism words = build_vector_mechanism("privemb", word_input(), texts);
  EXPECT_THAT(fact(words, "sensitivity"), HasSubstr("(vocabulary)"));
  EXPECT_LT(sensitivity(words), sensitivity(everything));
}

TEST(Privemb, SaysWhatItPromises) {
  const Mechanism clipped =
      build_vector_mechanism("privemb", free_input(8), {{"epsilon", "2"}, {"dimension", "3"}, {"clip", "5"}});
  EXPECT_THAT(clipped.claim.guarantee, HasSubstr("exp(2 * d)"));
  EXPECT_THAT(clipped.claim.guarantee, HasSubstr("length 5"));
  EXPECT_NEAR(*clipped.claim.largest_word_loss, 20, 1e-12);
  EXPECT_GE(*clipped.claim.largest_word_loss, 20);
  EXPECT_THAT(clipped.claim.arithmetic, HasSubstr("pure"));
  const Mechanism by_default =
      build_vector_mechanism("privemb", free_input(8), {{"epsilon", "2"}, {"dimension", "3"}});
  EXPECT_NEAR(*by_default.claim.largest_word_loss, 400, 1e-9);
  // 1/2 and a little, times 2^-20.
  EXPECT_THAT(fact(by_default, "grid step"), HasSubstr("2^-21"));
  EXPECT_THAT(fact(by_default, "noise"), HasSubstr("1.5"));

  // 300 words of 300 dimensions, the paper's first pair.
  const VectorInput input{.model = test::gaussian_model({.words = 300, .dim = 300, .scale = 1, .seed = 3}),
                          .domain = Domain::words,
                          .dim = 300};
  const Mechanism paper = build_vector_mechanism(
      "privemb", input,
      {{"epsilon", "2"}, {"beta", "0.93"}, {"projection", "gaussian"}, {"sensitivity", "paper"}});
  EXPECT_EQ(paper.vectors->output_dim(), 50U);
  EXPECT_NEAR(sensitivity(paper), 1.93, 1e-12);
  EXPECT_THAT(paper.claim.guarantee, HasSubstr("1 - 1e-06"));
  EXPECT_EQ(fact(paper, "delta"), "1e-06");
}

TEST(Privemb, RefusesWhatIsNotProven) {
  const ParameterTexts gaussian = {{"epsilon", "2"}, {"projection", "gaussian"}};
  const auto with = [](ParameterTexts texts, const ParameterTexts& more) {
    texts.insert(more.begin(), more.end());
    return texts;
  };
  expect_refused(free_input(300), with(gaussian, {{"beta", "0.93"}, {"sensitivity", "paper"}}),
                 "not for free vectors");
  expect_refused(free_input(300), with(gaussian, {{"dimension", "9"}, {"sensitivity", "vocabulary"}}),
                 "spectral");
  expect_refused(word_input(), with(gaussian, {{"dimension", "3"}, {"sensitivity", "paper"}}), "give `beta`");
  // A delta so large that the formula's dimension is too small for 60 words.
  expect_refused(word_input(),
                 with(gaussian, {{"beta", "0.2"}, {"delta", "0.999"}, {"sensitivity", "paper"}}),
                 "is not proven for 60 words");
  expect_refused(word_input(), {{"epsilon", "2"}, {"dimension", "3"}, {"sensitivity", "paper"}},
                 "for `projection` gaussian only");
}

TEST(Privemb, RefusesWhatDoesNotFitTogether) {
  const ParameterTexts epsilon = {{"epsilon", "2"}};
  const auto with = [&](const ParameterTexts& more) {
    ParameterTexts texts = epsilon;
    texts.insert(more.begin(), more.end());
    return texts;
  };
  expect_refused(free_input(8), epsilon, "needs `dimension`");
  expect_refused(free_input(8), with({{"dimension", "3"}, {"beta", "0.5"}}), "not both");
  expect_refused(free_input(8), with({{"dimension", "3"}, {"delta", "0.5"}}), "only together with `beta`");
  expect_refused(free_input(8), with({{"dimension", "9"}}), "the input has only 8");
  expect_refused(free_input(8), with({{"dimension", "0"}}), "`dimension`");
  expect_refused(free_input(8), with({{"dimension", "3"}, {"projection", "none"}}), "keeps the 8 dimensions");
  expect_refused(free_input(8), with({{"dimension", "3"}, {"projection", "pca"}}), "give `model`");
  expect_refused(word_input(), with({{"dimension", "3"}, {"projection-seed", "4"}}), "not random");
  expect_refused(word_input(), with({{"dimension", "3"}, {"clip", "4"}}), "never clipped");
  expect_refused({.model = small_model(), .domain = Domain::free, .dim = 7}, with({{"dimension", "3"}}),
                 "have 8 dimensions");
  expect_refused(free_input(8), {{"epsilon", "1e-200"}, {"dimension", "3"}}, "1e-30");
  expect_refused(free_input(8), with({{"beta", "1e-9"}, {"projection", "gaussian"}}), "it must be from 1 to");
}

// The same first digits on a fine grid, where doubles decide nothing, and on the default one. Vectors inside,
// on and far beyond the clip norm, also where squares overflow.
TEST(Privemb, QuickAndExactAgreeOnTheWholeReleaseAlsoWhenClipped) {
  Rng inputs = Rng::seeded_not_private(92);
  for (const char* projection : {"orthonormal", "gaussian", "none"}) {
    ParameterTexts texts = {{"epsilon", "3"}, {"projection", projection}, {"clip", "7"}};
    if (std::string_view(projection) != "none") texts["dimension"] = "5";
    const Mechanism normal = build_vector_mechanism("privemb", free_input(20), texts);
    texts["grid-bits"] = "90";
    const Mechanism fine = build_vector_mechanism("privemb", free_input(20), texts);
    const auto& vectors = dynamic_cast<const PrivateVectors&>(*normal.vectors);
    const double half = std::ldexp(0.5, vectors.noise().law().grid_exponent);
    for (int round = 0; round < 40; ++round) {
      std::vector<double> x(20);
      for (double& value : x) value = gaussian(inputs);
      const double scales[] = {1e-300, 0.1, 1, 1.5, 1e3, 1e160, 1e307};
      for (double& value : x) value *= scales[round % 7];
      std::vector<double> y(normal.vectors->output_dim());
      std::vector<double> z(y.size());
      Rng rng = Rng::seeded_not_private(93, static_cast<std::uint64_t>(round));
      Rng same = Rng::seeded_not_private(93, static_cast<std::uint64_t>(round));
      normal.vectors->release_batch(x, y, rng);
      fine.vectors->release_batch(x, z, same);
      for (std::size_t j = 0; j < y.size(); ++j)
        EXPECT_NEAR(y[j], z[j], half * (1 + 1e-6)) << scales[round % 7];
    }
    EXPECT_LE(vectors.recounts().vectors, 2U);
    EXPECT_EQ(dynamic_cast<const PrivateVectors&>(*fine.vectors).recounts().vectors, 40U);
  }
}

// With next to no noise the release is P c(x).
TEST(Privemb, AHugeEpsilonReleasesTheClippedProjection) {
  const Mechanism mechanism = build_vector_mechanism(
      "privemb", free_input(3), {{"epsilon", "1e12"}, {"projection", "none"}, {"clip", "10"}});
  const std::vector<double> in = {3, -4, 0, 30, 0, -40, -0.0, 0, 1e308};
  const double expected[] = {3, -4, 0, 6, 0, -8, 0, 0, 10};
  std::vector<double> out(9);
  Rng rng = Rng::seeded_not_private(94);
  mechanism.vectors->release_batch(in, out, rng);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(out[i], expected[i], 1e-9);
}

TEST(Privemb, WordsAreNotClipped) {
  const VectorInput input{
      .model = Model::from_words({"a", "b"}, {300, 400, 0, 0}, 2), .domain = Domain::words, .dim = 2};
  const Mechanism mechanism =
      build_vector_mechanism("privemb", input, {{"epsilon", "1e9"}, {"projection", "none"}});
  EXPECT_NEAR(*mechanism.claim.largest_word_loss, 500e9, 510e9);  // at least the distance
  EXPECT_GE(*mechanism.claim.largest_word_loss, 500e9);
  const std::vector<double> in = {300, 400};
  std::vector<double> out(2);
  Rng rng = Rng::seeded_not_private(95);
  mechanism.vectors->release_batch(in, out, rng);
  EXPECT_NEAR(out[0], 300, 1e-6);
  EXPECT_NEAR(out[1], 400, 1e-6);
}

// The noise of a built mechanism has the scale s / epsilon: the radius around P x. False-alarm rate 1e-9.
TEST(Privemb, TheNoiseIsThatOfTheClaim) {
  const Mechanism mechanism = build_vector_mechanism(
      "privemb", free_input(8), {{"epsilon", "4"}, {"dimension", "3"}, {"projection", "gaussian"}});
  const auto& vectors = dynamic_cast<const PrivateVectors&>(*mechanism.vectors);
  const std::vector<double> x = {1, 0, -1, 2, 0.5, 0, 0, 3};
  std::vector<double> centre(3);
  vectors.projection().apply(x, centre);
  std::vector<double> in;
  const std::size_t rows = 50000;
  for (std::size_t i = 0; i < rows; ++i) in.insert(in.end(), x.begin(), x.end());
  std::vector<double> out(rows * 3);
  Rng rng = Rng::seeded_not_private(96);
  vectors.release_batch(in, out, rng);
  std::vector<double> radii;
  for (std::size_t i = 0; i < rows; ++i) {
    radii.push_back(
        std::hypot(out[3 * i] - centre[0], out[3 * i + 1] - centre[1], out[3 * i + 2] - centre[2]));
  }
  const double scale = sensitivity(mechanism) / 4;
  EXPECT_LT(test::ks_distance(radii, [&](double r) { return test::gamma_cdf({.shape = 3, .x = r / scale}); }),
            test::ks_limit(rows));
}

// Each vector that doubles cannot decide is counted, and the rate follows the grid: about 2 e / g per
// coordinate (docs/proofs/privemb.md).
TEST(Privemb, TheSlowPathIsRareOnTheDefaultGrid) {
  const std::size_t rows = 20000;
  std::vector<double> in(rows * 30);
  Rng rng = Rng::seeded_not_private(97);
  for (double& value : in) value = gaussian(rng);
  std::vector<double> out(rows * 10);
  std::vector<double> rates;
  for (const int bits_below_scale : {20, 30}) {
    const PrivateVectors vectors(Projection::orthonormal({.output_dim = 10, .input_dim = 30}, 1),
                                 {.dim = 10, .scale = 0.125, .grid_exponent = -3 - bits_below_scale}, 10);
    vectors.release_batch(in, out, rng);
    rates.push_back(static_cast<double>(vectors.recounts().vectors) / static_cast<double>(rows));
    EXPECT_GE(vectors.recounts().coordinates, vectors.recounts().vectors);
  }
  EXPECT_LT(rates[0], 0.001);
  EXPECT_GT(rates[1], 0.002);
}

TEST(Privemb, ThreadsShareOneMechanism) {
  const Mechanism mechanism = build_vector_mechanism(
      "privemb", word_input(), {{"epsilon", "2"}, {"dimension", "4"}, {"grid-bits", "45"}});
  const std::vector<double> in(160, 0.25);  // 20 rows
  std::vector<std::vector<double>> out(4, std::vector<double>(80));
  {
    std::vector<std::jthread> threads;
    threads.reserve(out.size());
    for (auto& mine : out) {
      threads.emplace_back([&] {
        Rng rng = Rng::seeded_not_private(98);
        mechanism.vectors->release_batch(in, mine, rng);
      });
    }
  }
  for (const auto& mine : out) EXPECT_EQ(mine, out[0]);
}

}  // namespace
}  // namespace sotto
