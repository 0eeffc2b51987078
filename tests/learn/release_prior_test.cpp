#include "learn/release_prior.h"

#include <gtest/gtest.h>

#include <cmath>

#include "measure/brute_force.h"
#include "sotto/error.h"

namespace sotto {
namespace {

// The reference: the definition of expectation maximisation, with the whole law in memory.
std::vector<double> slow_rounds(const test::Table& law, const std::vector<double>& outputs,
                                std::vector<double> q, std::size_t rounds) {
  const std::size_t n = law.size();
  for (std::size_t round = 0; round < rounds; ++round) {
    std::vector<double> next(n, 0.0);
    for (std::size_t o = 0; o < n; ++o) {
      double total = 0;
      for (std::size_t w = 0; w < n; ++w) total += q[w] * law[w][o];
      for (std::size_t w = 0; w < n; ++w) next[w] += q[w] * law[w][o] * outputs[o] / total;
    }
    q = next;
  }
  return q;
}

TEST(ReleasePrior, EqualsTheDefinition) {
  const Mechanism mechanism = test::small_tem(120, "3");
  const test::Table law = test::law_table(mechanism);
  std::vector<double> outputs(120);
  double total = 0;
  for (std::size_t o = 0; o < 120; ++o) total += outputs[o] = static_cast<double>((o * 37) % 11);
  for (double& share : outputs) share /= total;
  const Prior found = release_prior(mechanism, outputs, {.threads = 2}, 5);
  const auto expected = slow_rounds(law, outputs, frequency_rank_prior(mechanism.space->model()).weights, 5);
  for (std::size_t w = 0; w < 120; ++w) EXPECT_NEAR(found.weights[w], expected[w], 1e-12);
}

// With the exact output distribution of a known prior, the estimate moves from the start towards that prior.
TEST(ReleasePrior, FindsThePriorAgain) {
  const Mechanism mechanism = test::small_tem(120, "6");
  const test::Table law = test::law_table(mechanism);
  std::vector<double> truth(120);
  double total = 0;
  for (std::size_t w = 0; w < 120; ++w) total += truth[w] = 1 + static_cast<double>((w * 53) % 17);
  std::vector<double> outputs(120, 0.0);
  for (std::size_t w = 0; w < 120; ++w) {
    truth[w] /= total;
    for (std::size_t o = 0; o < 120; ++o) outputs[o] += truth[w] * law[w][o];
  }
  const auto gap = [&](const std::vector<double>& q) {
    double sum = 0;
    for (std::size_t w = 0; w < 120; ++w) sum += std::abs(q[w] - truth[w]);
    return sum;
  };
  const double start = gap(frequency_rank_prior(mechanism.space->model()).weights);
  EXPECT_LT(gap(release_prior(mechanism, outputs, {}, 200).weights), 0.3 * start);
  EXPECT_LT(gap(release_prior(mechanism, outputs, {}).weights), 0.7 * start);
}

TEST(ReleasePrior, RefusesAMechanismWithoutALaw) {
  const auto model = test::gaussian_model({.words = 30, .dim = 3});
  const Mechanism laplace = build_uncertified("laplace", model, {{"epsilon", "3"}});
  EXPECT_THROW(release_prior(laplace, std::vector<double>(30, 1.0 / 30), {}), Error);
}

}  // namespace
}  // namespace sotto
