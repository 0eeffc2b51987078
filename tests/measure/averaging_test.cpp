#include "measure/averaging.h"

#include <gtest/gtest.h>

#include <array>

#include "brute_force.h"
#include "mechanisms/build.h"

namespace sotto {
namespace {

std::vector<double> averaging_errors(const Mechanism& mechanism, const Prior& prior,
                                     AveragingAdversary::Trials trials, std::size_t level,
                                     unsigned threads = 2) {
  AveragingAdversary adversary(prior, std::move(trials));
  const std::array<LawVisitor*, 1> visitors = {&adversary};
  stream_laws(mechanism, prior.support, visitors, {.threads = threads});
  return adversary.errors(level);
}

TEST(Averaging, LevelsArePowersOfTwoAndTheNumberItself) {
  const Prior prior = uniform_prior(*test::line_model({0, 1}));
  const auto levels = [&](std::size_t copies) {
    return AveragingAdversary(prior, {.copies = copies, .outputs = std::vector<WordId>(copies)}).levels();
  };
  EXPECT_EQ(levels(1), (std::vector<std::size_t>{1}));
  EXPECT_EQ(levels(8), (std::vector<std::size_t>{1, 2, 4, 8}));
  EXPECT_EQ(levels(6), (std::vector<std::size_t>{1, 2, 4, 6}));
}

// Three given outputs: the posterior by Bayes' rule, written out.
TEST(Averaging, IsBayesRule) {
  const auto model = test::line_model({0, 1, 2.5, 4});
  const Mechanism mechanism = build_uncertified("tem", model, {{"epsilon", "1"}});
  const Prior prior = frequency_rank_prior(*model);
  const std::vector<WordId> outputs = {word_id(1), word_id(0), word_id(3),
                                       word_id(2), word_id(2), word_id(2)};
  const auto law = test::law_table(mechanism);
  for (std::size_t level = 0; level < 3; ++level) {
    const std::size_t copies = level + 1;  // levels of 3 copies: 1, 2, 3
    const auto errors = averaging_errors(mechanism, prior, {.copies = 3, .outputs = outputs}, level);
    ASSERT_EQ(errors.size(), 2U);
    for (std::size_t t = 0; t < 2; ++t) {
      double largest = 0;
      double total = 0;
      for (std::size_t w = 0; w < 4; ++w) {
        double joint = prior.weights[w];
        for (std::size_t k = 0; k < copies; ++k) joint *= law[w][index_of(outputs[t * 3 + k])];
        largest = std::max(largest, joint);
        total += joint;
      }
      EXPECT_NEAR(errors[t], 1 - largest / total, 1e-12);
    }
  }
}

// All pairs of outputs, weighted by their probability, give E_opt(2) exactly; one output gives E_opt.
TEST(Averaging, ExpectationIsTheErrorOfTheBestGuess) {
  const Mechanism mechanism = test::small_tem(12, "2");
  const Prior prior = frequency_rank_prior(mechanism.space->model());
  const auto law = test::law_table(mechanism);
  AveragingAdversary::Trials trials{.copies = 2, .outputs = {}};
  for (std::size_t a = 0; a < 12; ++a) {
    for (std::size_t b = 0; b < 12; ++b)
      trials.outputs.insert(trials.outputs.end(), {word_id(a), word_id(b)});
  }
  const auto one = averaging_errors(mechanism, prior, trials, 0);
  const auto two = averaging_errors(mechanism, prior, trials, 1);
  double mean_one = 0;
  double mean_two = 0;
  for (std::size_t t = 0; t < 144; ++t) {
    double p = 0;
    for (std::size_t w = 0; w < 12; ++w) p += prior.weights[w] * law[w][t / 12] * law[w][t % 12];
    mean_one += p * one[t];
    mean_two += p * two[t];
  }
  EXPECT_NEAR(mean_one, test::brute_e_opt(mechanism, prior, test::Loss::zero_one), 1e-12);
  EXPECT_LT(mean_two, mean_one);
  EXPECT_EQ(two, averaging_errors(mechanism, prior, trials, 1, 5));
}

TEST(Averaging, ImpossibleOutputsExcludeWords) {
  const auto model = test::line_model({0, 1, 2});
  const Mechanism mechanism = build_uncertified("identity", model, {});
  const auto errors = averaging_errors(mechanism, uniform_prior(*model),
                                       {.copies = 2, .outputs = {word_id(1), word_id(1)}}, 1);
  EXPECT_EQ(errors, std::vector<double>{0.0});
}

}  // namespace
}  // namespace sotto
