#include "measure/sampled_adversary.h"

#include <gtest/gtest.h>

#include <array>
#include <map>

#include "brute_force.h"
#include "mechanisms/build.h"
#include "sotto/measurement.h"

namespace sotto {
namespace {

Classes word_classes(const Prior& prior) {
  return {.of = [](WordId word) { return static_cast<std::int64_t>(word); },
          .likeliest = static_cast<std::int64_t>(prior.mode()),
          .constant_error = prior.constant_guess()};
}

// With its margins: each end is wrong with probability 2.5% at most. The bare ends are right in expectation
// only: at epsilon 3, where 40 draws a word leave no bias, the plug-in lay above the exact error in 4 runs
// of 10.
TEST(SampledAdversary, BracketHoldsTheExactErrorOfTem) {
  for (const char* epsilon : {"1", "3"}) {
    const Mechanism mechanism = test::small_tem(100, epsilon);
    const Model& model = mechanism.space->model();
    for (const Prior& prior : {uniform_prior(model), frequency_rank_prior(model)}) {
      const double exact = test::brute_e_opt(mechanism, prior, test::Loss::zero_one);
      std::size_t with_interval = 0;
      for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const auto random = RandomSource::seeded_not_private(seed);
        const JointSample sample = draw_joint(mechanism, prior, {.count = 4000}, random, {.threads = 2});
        const GuessBracket bracket = guess_bracket(sample, word_classes(prior));
        EXPECT_LE(bracket.low, bracket.plug_in);
        EXPECT_LE(bracket.held_out, bracket.high);
        EXPECT_LE(bracket.held_out, prior.constant_guess());
        with_interval += bracket.low <= exact && exact <= bracket.high + 1e-12 ? 1 : 0;
      }
      EXPECT_GE(with_interval, 95U) << epsilon;
    }
  }
}

TEST(SampledAdversary, MeansLieOnTheRightSides) {
  const Mechanism mechanism = test::small_tem(60, "2");
  const Prior prior = frequency_rank_prior(mechanism.space->model());
  const double exact = test::brute_e_opt(mechanism, prior, test::Loss::zero_one);
  double plug_in = 0;
  double held_out = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto random = RandomSource::seeded_not_private(1000 + seed);
    const auto bracket =
        guess_bracket(draw_joint(mechanism, prior, {.count = 2000}, random, {}), word_classes(prior));
    plug_in += bracket.plug_in / 50;
    held_out += bracket.held_out / 50;
  }
  EXPECT_LT(plug_in, exact);
  EXPECT_GT(held_out, exact);
}

// Outputs never repeat: all that held-out judging can do is guess the likeliest word.
TEST(SampledAdversary, UnseenOutputsAreGuessedAsTheMode) {
  JointSample sample;
  for (std::size_t i = 0; i < 100; ++i) {
    sample.words.push_back(word_id(i % 4 == 0 ? 1 : 0));
    sample.outputs.push_back(word_id(i));
  }
  const Classes classes{.of = [](WordId word) { return static_cast<std::int64_t>(word); },
                        .likeliest = 0,
                        .constant_error = 0.9};
  const GuessBracket bracket = guess_bracket(sample, classes);
  EXPECT_EQ(bracket.plug_in, 0);
  EXPECT_NEAR(bracket.held_out, 0.24, 1e-12);  // draws 52, 56, ..., 96: 12 of 50
}

TEST(SampledAdversary, DrawsFollowPriorAndLawAndNotTheThreads) {
  const auto model = test::line_model({0, 1, 2.5, 4});
  const Mechanism mechanism = build_uncertified("tem", model, {{"epsilon", "1"}, {"gamma", "inf"}});
  const Prior prior = frequency_rank_prior(*model);
  const auto random = RandomSource::seeded_not_private(7);
  constexpr std::size_t kDraws = 200'000;
  const JointSample one = draw_joint(mechanism, prior, {.count = kDraws}, random, {.threads = 1});
  const JointSample three = draw_joint(mechanism, prior, {.count = kDraws}, random, {.threads = 3});
  EXPECT_EQ(one.words, three.words);
  EXPECT_EQ(one.outputs, three.outputs);
  const auto law = test::law_table(mechanism);
  std::map<std::pair<std::size_t, std::size_t>, double> counts;
  for (std::size_t i = 0; i < kDraws; ++i) counts[{index_of(one.words[i]), index_of(one.outputs[i])}] += 1;
  for (std::size_t w = 0; w < 4; ++w) {
    for (std::size_t o = 0; o < 4; ++o) {
      // Six standard deviations at most: a false alarm in 3 * 10^7 seeds.
      EXPECT_NEAR((counts[{w, o}]) / kDraws, prior.weights[w] * law[w][o], 6 * 0.5 / std::sqrt(kDraws));
    }
  }
}

// Words 0, 0, 1, 1 become 0, 0, 0, 1. Output 0: (2^2 + 1^2) / 3, output 1: 1. So 1 - (5/3 + 1) / 4 = 1/3.
TEST(SampledAdversary, PlugInOfThePosteriorByHand) {
  const JointSample sample{.words = {word_id(0), word_id(0), word_id(1), word_id(1)},
                           .outputs = {word_id(0), word_id(0), word_id(0), word_id(1)}};
  const Classes classes{.of = [](WordId word) { return static_cast<std::int64_t>(word); }};
  EXPECT_NEAR(guess_bracket(sample, classes).posterior_plug_in, 1.0 / 3, 1e-15);
}

// Biased low in the mean, and with its margin below E_post in all but 2.5% of the runs: of 100 runs more than
// 12 with probability below 1e-5.
TEST(SampledAdversary, PlugInOfThePosteriorIsBiasedLow) {
  const Mechanism mechanism = test::small_tem(60, "2");
  const Prior prior = frequency_rank_prior(mechanism.space->model());
  const double exact = *measure(mechanism, {.prior = prior, .extent = MeasureQuestion::Extent::headline}, {})
                            .overall()
                            .find("e_post")
                            ->value;
  double mean = 0;
  int above = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto random = RandomSource::seeded_not_private(2000 + seed);
    const auto bracket =
        guess_bracket(draw_joint(mechanism, prior, {.count = 2000}, random, {}), word_classes(prior));
    mean += bracket.posterior_plug_in / 100;
    above += bracket.posterior_plug_in - bracket.posterior_margin > exact ? 1 : 0;
  }
  EXPECT_LT(mean, exact);
  EXPECT_LE(above, 12);
}

}  // namespace
}  // namespace sotto
