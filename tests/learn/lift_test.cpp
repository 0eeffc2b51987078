#include "learn/lift.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/samplers.h"
#include "measure/brute_force.h"

namespace sotto {
namespace {

DenseMatrix random_features(std::size_t words, std::size_t columns) {
  Rng rng = Rng::seeded_not_private(11);
  DenseMatrix out = DenseMatrix::zeros(words, columns);
  for (double& value : out.values) value = gaussian(rng);
  return out;
}

// The definition, by the posterior of every output.
DenseMatrix slow_lift(const Mechanism& mechanism, const Prior& prior, const DenseMatrix& features) {
  const test::Table posterior = test::posterior_table(test::law_table(mechanism), prior);
  DenseMatrix out = DenseMatrix::zeros(features.rows, features.columns);
  for (std::size_t o = 0; o < features.rows; ++o) {
    for (std::size_t w = 0; w < features.rows; ++w) {
      for (std::size_t j = 0; j < features.columns; ++j) {
        out.row(o)[j] += posterior[o][w] * features.row(w)[j];
      }
    }
  }
  return out;
}

double largest_gap(const DenseMatrix& a, const DenseMatrix& b) {
  double gap = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) gap = std::max(gap, std::abs(a.values[i] - b.values[i]));
  return gap;
}

// Every second word, so that the prior rules some inputs out.
Prior half_of(const Model& model) {
  WordList list;
  for (std::size_t w = 0; w < model.size(); w += 2) list.words.push_back(word_id(w));
  return restricted(frequency_rank_prior(model), list);
}

// 700 words: more than one slice of outputs. gumbel-topk has a closed law that is no exponential one.
TEST(Lift, EqualsBruteForce) {
  for (const char* epsilon : {"0.5", "3"}) {
    const Mechanism mechanism = test::small_tem(700, epsilon);
    const Model& model = mechanism.space->model();
    const DenseMatrix features = random_features(700, 3);
    for (const Prior& prior : {uniform_prior(model), frequency_rank_prior(model), half_of(model)}) {
      const Lifted lifted = lift_features(mechanism, prior, features, {}, {.threads = 2});
      EXPECT_LT(largest_gap(lifted.features, slow_lift(mechanism, prior, features)), 1e-10);
      EXPECT_EQ(lifted.draws, 0U);
      EXPECT_EQ(lifted.impossible, 0U);
      EXPECT_FALSE(lifted.error);
    }
  }
  const Mechanism other =
      build_uncertified("gumbel-topk", test::gaussian_model({.words = 60, .dim = 4}), {{"epsilon", "200"}});
  const Prior prior = frequency_rank_prior(other.space->model());
  const DenseMatrix features = random_features(60, 2);
  EXPECT_LT(
      largest_gap(lift_features(other, prior, features, {}, {}).features, slow_lift(other, prior, features)),
      1e-10);
}

TEST(Lift, EndsOfTheScale) {
  const auto model = test::gaussian_model({.words = 50, .dim = 4});
  const Prior prior = frequency_rank_prior(*model);
  const DenseMatrix features = random_features(50, 2);
  const auto lifted = [&](const char* name) {
    return lift_features(build_uncertified(name, model, {}), prior, features, {}, {}).features;
  };
  EXPECT_LT(largest_gap(lifted("identity"), features), 1e-12);  // the output is the input
  const DenseMatrix uniform = lifted("uniform");                // the output tells nothing
  std::vector<double> mean(2, 0.0);
  for (std::size_t w = 0; w < 50; ++w) {
    for (std::size_t j = 0; j < 2; ++j) mean[j] += prior.weights[w] * features.row(w)[j];
  }
  for (std::size_t o = 0; o < 50; ++o) {
    for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(uniform.row(o)[j], mean[j], 1e-12);
  }
}

// identity on a prior of half the words: the other half never comes out.
TEST(Lift, AnImpossibleOutputGetsThePriorMean) {
  const auto model = test::gaussian_model({.words = 40, .dim = 3});
  const Prior prior = half_of(*model);
  const DenseMatrix features = random_features(40, 2);
  const Mechanism identity = build_uncertified("identity", model, {});
  std::vector<double> mean(2, 0.0);
  for (const WordId word : prior.support) {
    for (std::size_t j = 0; j < 2; ++j) {
      mean[j] += prior.weights[index_of(word)] * features.row(index_of(word))[j];
    }
  }
  for (const bool by_draws : {false, true}) {
    const Lifted lifted =
        lift_features(identity, prior, features, {.by_draws = by_draws, .seed_not_private = 1}, {});
    EXPECT_EQ(lifted.impossible, 20U);
    for (std::size_t o = 1; o < 40; o += 2) {
      for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(lifted.features.row(o)[j], mean[j], 1e-12);
    }
    for (std::size_t o = 0; o < 40; o += 2) {
      for (std::size_t j = 0; j < 2; ++j) {
        EXPECT_NEAR(lifted.features.row(o)[j], features.row(o)[j], 1e-9);  // a sum over many draws
      }
    }
  }
}

// By draws the true error must agree with the stated one. Over 100 outputs x 4 features the mean square of
// the standardised error has a standard deviation of about 0.1; a factor of 2 either way is never an accident
// (false-alarm rate below 1e-9).
TEST(Lift, DrawsStateTheirError) {
  const Mechanism mechanism = test::small_tem(100, "2");
  const Prior prior = frequency_rank_prior(mechanism.space->model());
  const DenseMatrix features = random_features(100, 4);
  const Lifted exact = lift_features(mechanism, prior, features, {}, {});
  const LiftQuestion question{.draws = 200'000, .by_draws = true, .seed_not_private = 3};
  const Lifted drawn = lift_features(mechanism, prior, features, question, {.threads = 2});
  ASSERT_TRUE(drawn.error);
  EXPECT_GE(drawn.draws, 199'000U);
  double square = 0;
  for (std::size_t j = 0; j < 4; ++j) {
    double mean = 0;
    double second = 0;
    double off = 0;
    for (std::size_t w = 0; w < 100; ++w) {
      mean += prior.weights[w] * features.row(w)[j];
      second += prior.weights[w] * features.row(w)[j] * features.row(w)[j];
      const double gap = drawn.features.row(w)[j] - exact.features.row(w)[j];
      off += exact.output_weights[w] * gap * gap;
    }
    square += off / (second - mean * mean) / 4;
  }
  EXPECT_LT(*drawn.error, 2 * std::sqrt(square));
  EXPECT_GT(*drawn.error, std::sqrt(square) / 2);
  EXPECT_LT(*drawn.error, 0.1);
}

TEST(Lift, ThreadsDoNotChangeABit) {
  const Mechanism mechanism = test::small_tem(600, "2");
  const Prior prior = frequency_rank_prior(mechanism.space->model());
  const DenseMatrix features = random_features(600, 5);
  const auto values = [&](const LiftQuestion& question, unsigned threads) {
    return lift_features(mechanism, prior, features, question, {.threads = threads}).features.values;
  };
  EXPECT_EQ(values({}, 1), values({}, 5));
  const LiftQuestion draws{.draws = 20'000, .by_draws = true, .seed_not_private = 3};
  EXPECT_EQ(values(draws, 1), values(draws, 5));
}

}  // namespace
}  // namespace sotto
