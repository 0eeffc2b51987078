#include "measure/column_adversary.h"

#include <gtest/gtest.h>

#include "brute_force.h"
#include "measure/measurement_parts.h"
#include "sotto/error.h"

namespace sotto {
namespace {

std::vector<WordId> all_words(std::size_t count) {
  std::vector<WordId> words;
  for (std::size_t w = 0; w < count; ++w) words.push_back(word_id(w));
  return words;
}

void expect_columns(const Mechanism& mechanism, const Prior& prior) {
  const std::size_t n = mechanism.space->size();
  const test::Table posterior = test::posterior_table(test::law_table(mechanism), prior);
  const ColumnErrors errors = column_errors(mechanism, prior, all_words(n), {});
  EXPECT_EQ(errors.error, 0);  // so few rows go over doubles
  for (std::size_t o = 0; o < n; ++o) {
    double largest = 0;
    double squares = 0;
    for (const double value : posterior[o]) {
      largest = std::max(largest, value);
      squares += value * value;
    }
    ASSERT_NEAR(errors.best[o], 1 - largest, 1e-12) << o;
    ASSERT_NEAR(errors.posterior[o], 1 - squares, 1e-12) << o;
  }
}

TEST(ColumnErrors, AreThoseOfThePosteriorByHand) {
  for (const char* epsilon : {"0.5", "3", "20"}) {
    const Mechanism mechanism = test::small_tem(90, epsilon);
    expect_columns(mechanism, uniform_prior(mechanism.space->model()));
    Prior some = frequency_rank_prior(mechanism.space->model());
    // Words that the prior rules out are no guess, but they are outputs.
    some.support.clear();
    double total = 0;
    for (std::size_t w = 0; w < 90; ++w) {
      if (w % 3 == 0) some.weights[w] = 0;
      total += some.weights[w];
      if (w % 3 != 0) some.support.push_back(word_id(w));
    }
    for (double& weight : some.weights) weight /= total;
    expect_columns(mechanism, some);
  }
}

// Words that share a vector are one row of the pass over all pairs, but two guesses.
TEST(ColumnErrors, TellWordsWithOneVectorApart) {
  const Mechanism mechanism =
      build_uncertified("tem", test::line_model({0, 1, 1, 3, 1, 7}), {{"epsilon", "2"}});
  expect_columns(mechanism, uniform_prior(mechanism.space->model()));
}

// The same words by the float32 pass and by doubles: the difference is within what is stated.
TEST(ColumnErrors, InFloat32AreWithinTheStatedError) {
  const Mechanism mechanism =
      build_uncertified("tem", test::gaussian_model({.words = 2100, .dim = 8}), {{"epsilon", "3"}});
  const Prior prior = frequency_rank_prior(mechanism.space->model());
  const std::vector<WordId> outputs = {word_id(0), word_id(7), word_id(1000), word_id(2099)};
  const ColumnErrors errors = column_errors(mechanism, prior, outputs, {});
  EXPECT_GT(errors.error, 0);
  EXPECT_LT(errors.error, 1e-2);
  const test::Table law = test::law_table(mechanism);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    double sum = 0;
    double largest = 0;
    for (std::size_t v = 0; v < law.size(); ++v) {
      const double value = prior.weights[v] * law[v][index_of(outputs[i])];
      sum += value;
      largest = std::max(largest, value);
    }
    EXPECT_NEAR(errors.best[i], 1 - largest / sum, errors.error);
  }
}

// What `measure` does beyond kExactPairs, on a model where the exact figures are known, too.
TEST(ColumnErrors, EstimateTheExactFigures) {
  const Mechanism mechanism = test::small_tem(120, "3");
  const MeasureQuestion request{
      .prior = frequency_rank_prior(mechanism.space->model()), .draws = 20'000, .seed_not_private = 5};
  const RandomSource random = RandomSource::seeded_not_private(5);
  const Bands bands = bands_of(request.bands, *mechanism.space, request.prior, {});
  const Measurement sampled =
      measure_by_samples({.mechanism = mechanism, .request = request, .random = random, .bands = bands}, {});
  const Measurement exact = measure(mechanism, request, {});
  for (const char* name : {"e_opt", "e_post"}) {
    const Quantity& seen = *sampled.overall().find(name);
    ASSERT_EQ(seen.kind, QuantityKind::sampled) << name;
    // About 5 standard deviations: a false alarm in a million seeds.
    EXPECT_NEAR(*seen.value, *exact.overall().find(name)->value, 2.5 * (seen.interval.high - *seen.value))
        << name;
    EXPECT_LT(seen.interval.high - seen.interval.low, 0.05) << name;
  }
}

}  // namespace
}  // namespace sotto
