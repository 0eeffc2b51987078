#include "tune/estimate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "measure/vector_adversary.h"
#include "tune/tune_support.h"

// How long something takes is not asserted anywhere: a busy machine would decide the test.
namespace sotto {
namespace {

Candidate candidate(const char* mechanism, const char* epsilon) {
  return {.mechanism = mechanism, .parameters = {{"epsilon", epsilon}}};
}

TEST(TuneEstimate, CountsTheSettingsOfASearch) {
  const TuneBench bench = test::bench_of(test::tuned_model());
  const TuneEstimate both = estimate_search(bench, {.mechanisms = {"tem", "laplace"}}, {.threads = 1});
  EXPECT_EQ(both.settings, 2 * kPointsOfFamily);
  EXPECT_TRUE(std::isfinite(both.seconds));
  EXPECT_GE(both.seconds, 0);
  // vickrey has four variants, uniform no epsilon.
  EXPECT_EQ(estimate_search(bench, {.mechanisms = {"vickrey", "uniform"}}, {}).settings,
            4 * kPointsOfFamily + 1);
}

TEST(TuneEstimate, OfCandidatesThatCannotBeBuiltIsAnEstimateToo) {
  const TuneBench bench = test::bench_of(test::tuned_model());
  const std::vector<Candidate> some = {candidate("tem", "1"), candidate("gumbel-topk", "0.000001"),
                                       candidate("laplace", "2"), candidate("laplace", "3")};
  const TuneEstimate estimate = estimate_candidates(bench, some, {.threads = 1});
  EXPECT_EQ(estimate.settings, 4U);
  EXPECT_TRUE(std::isfinite(estimate.seconds));
}

// A prior with fewer words than a trial looks at, and labels.
TEST(TuneEstimate, OfASmallQuestion) {
  const auto model = test::tuned_model();
  Prior prior = uniform_prior(*model);
  prior.weights.assign(model->size(), 0);
  prior.support = {word_id(2), word_id(5)};
  for (const WordId word : prior.support) prior.weights[index_of(word)] = 0.5;
  const TuneBench bench(model, {.prior = prior, .draws = 4096});
  EXPECT_TRUE(std::isfinite(estimate_search(bench, {}, {.threads = 1}).seconds));
}

// The estimate scales a trial by this number.
TEST(TuneEstimate, TheVectorAdversaryDrawsFewerVectorsAmongManyWords) {
  const auto small = test::gaussian_model({.words = 40, .dim = 3});
  EXPECT_EQ(vector_adversary_draws(*small, uniform_prior(*small)), 4096U);
  const auto large = test::gaussian_model({.words = 4096, .dim = 256});
  EXPECT_EQ(vector_adversary_draws(*large, uniform_prior(*large)), 2048U);
}

}  // namespace
}  // namespace sotto
