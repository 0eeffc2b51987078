#include "measure/adversary.h"

#include <gtest/gtest.h>

#include <array>

#include "brute_force.h"
#include "measure/distance_adversary.h"
#include "mechanisms/build.h"

namespace sotto {
namespace {

constexpr std::size_t kGuessedWords = 300;

GuessErrors errors_of(const Mechanism& mechanism, const Prior& prior, unsigned threads = 2) {
  const Bands bands = frequency_bands(mechanism.space->model());
  WordAdversary adversary(prior, bands);
  const std::array<LawVisitor*, 1> visitors = {&adversary};
  stream_laws(mechanism, prior.support, visitors, {.threads = threads});
  return adversary.errors();
}

// Every output's posterior, and the distance errors of all outputs and of the prior.
struct AllColumns {
  std::vector<double> posteriors;
  std::vector<double> probabilities;
  std::vector<DistanceErrors> errors = {};
  std::size_t stride = 0;
};
AllColumns all_columns(const Mechanism& mechanism, const Prior& prior, unsigned threads = 2) {
  std::vector<WordId> outputs;
  for (std::size_t o = 0; o < mechanism.space->size(); ++o) outputs.push_back(word_id(o));
  const Bands bands = frequency_bands(mechanism.space->model());
  WordAdversary adversary(prior, bands);
  LawColumns columns(prior, outputs);
  const std::array<LawVisitor*, 2> visitors = {&adversary, &columns};
  stream_laws(mechanism, prior.support, visitors, {.threads = threads});
  AllColumns all{.posteriors = columns.take_posteriors(), .probabilities = adversary.output_probabilities()};
  all.stride = columns.stride();
  all.errors = distance_errors(mechanism.space,
                               {.words = prior.support,
                                .values = all.posteriors,
                                .count = columns.count(),
                                .stride = columns.stride()},
                               {.threads = threads});
  return all;
}

Prior half_prior(const Model& model) {
  WordList list;
  for (std::size_t w = 0; w < model.size(); w += 2) list.words.push_back(word_id(w));
  return restricted(frequency_rank_prior(model), list);
}

TEST(Adversary, EqualsBruteForceOn300Words) {
  for (const char* epsilon : {"0.2", "2", "8"}) {
    const Mechanism mechanism = test::small_tem(kGuessedWords, epsilon);
    const Model& model = mechanism.space->model();
    for (const Prior& prior : {uniform_prior(model), frequency_rank_prior(model), half_prior(model)}) {
      const GuessErrors errors = errors_of(mechanism, prior);
      EXPECT_NEAR(errors.best, test::brute_e_opt(mechanism, prior, test::Loss::zero_one), 1e-12);
      EXPECT_NEAR(errors.posterior, test::brute_e_post(mechanism, prior, test::Loss::zero_one), 1e-12);
      EXPECT_LE(errors.best, errors.posterior + 1e-12);
      EXPECT_LE(errors.posterior, 2 * errors.best + 1e-12);
      EXPECT_LE(errors.best, prior.constant_guess() + 1e-12);
    }
  }
}

TEST(Adversary, DistanceLossEqualsBruteForceOn300Words) {
  const Mechanism mechanism = test::small_tem(kGuessedWords, "2");
  const Model& model = mechanism.space->model();
  for (const Prior& prior : {frequency_rank_prior(model), half_prior(model)}) {
    const AllColumns all = all_columns(mechanism, prior);
    GuessErrors sums;
    for (std::size_t o = 0; o < kGuessedWords; ++o) {
      sums.best += all.probabilities[o] * all.errors[o].best;
      sums.posterior += all.probabilities[o] * all.errors[o].posterior;
      EXPECT_LE(all.errors[o].best, all.errors[o].posterior + 1e-9);
      EXPECT_LE(all.errors[o].posterior, 2 * all.errors[o].best + 1e-9);
    }
    EXPECT_NEAR(sums.best, test::brute_e_opt(mechanism, prior, test::Loss::distance), 1e-10);
    EXPECT_NEAR(sums.posterior, test::brute_e_post(mechanism, prior, test::Loss::distance), 1e-10);
    EXPECT_LE(sums.best, all.errors.back().best);
  }
}

TEST(Adversary, PosteriorColumnsSumToOne) {
  const Mechanism mechanism = test::small_tem(kGuessedWords, "3");
  const Prior prior = half_prior(mechanism.space->model());
  const AllColumns all = all_columns(mechanism, prior);
  const auto law = test::law_table(mechanism);
  const auto expected = test::posterior_table(law, prior);
  for (std::size_t o = 0; o < kGuessedWords; ++o) {
    double sum = 0;
    for (std::size_t i = 0; i < prior.support.size(); ++i) {
      const double g = all.posteriors[i * all.stride + o];
      EXPECT_NEAR(g, expected[o][index_of(prior.support[i])], 1e-12);
      sum += g;
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

TEST(Adversary, EndsOfTheScale) {
  const auto model = test::gaussian_model({.words = 50, .dim = 4});
  const Prior prior = frequency_rank_prior(*model);
  const auto of = [&](const char* name) { return errors_of(build_uncertified(name, model, {}), prior); };
  EXPECT_NEAR(of("identity").best, 0, 1e-15);
  EXPECT_NEAR(of("identity").posterior, 0, 1e-15);
  EXPECT_NEAR(of("uniform").best, prior.constant_guess(), 1e-12);
  EXPECT_NEAR(of("redact").best, prior.constant_guess(), 1e-12);
  EXPECT_NEAR(errors_of(build_uncertified("tem", model, {{"epsilon", "1e-6"}}), prior).best,
              prior.constant_guess(), 1e-5);
  EXPECT_NEAR(errors_of(build_uncertified("tem", model, {{"epsilon", "200"}, {"gamma", "inf"}}), prior).best,
              0, 1e-5);
}

// Words that share a vector share a row: they cannot be told apart, whatever epsilon.
TEST(Adversary, WordsOfOneVectorStayHidden) {
  const auto model = test::line_model({0, 0, 5, 5});
  const Mechanism mechanism = build_uncertified("tem", model, {{"epsilon", "100"}, {"gamma", "inf"}});
  EXPECT_NEAR(errors_of(mechanism, uniform_prior(*model)).best, 0.5, 1e-12);
}

TEST(Adversary, BandsAddUpToTheWhole) {
  const Mechanism mechanism = test::small_tem(kGuessedWords, "3");
  const Model& model = mechanism.space->model();
  const Prior prior = frequency_rank_prior(model);
  const Bands bands = frequency_bands(model);
  WordAdversary adversary(prior, bands);
  const std::array<LawVisitor*, 1> visitors = {&adversary};
  stream_laws(mechanism, prior.support, visitors, {});
  GuessErrors sum;
  for (std::size_t b = 0; b < bands.count(); ++b) {
    double mass = 0;
    for (std::size_t w = 0; w < kGuessedWords; ++w) mass += bands.of[w] == b ? prior.weights[w] : 0;
    sum.best += mass * adversary.errors_in_band(b).best;
    sum.posterior += mass * adversary.errors_in_band(b).posterior;
  }
  EXPECT_NEAR(sum.best, adversary.errors().best, 1e-12);
  EXPECT_NEAR(sum.posterior, adversary.errors().posterior, 1e-12);
}

TEST(Adversary, ThreadsDoNotChangeABit) {
  const Mechanism mechanism = test::small_tem(kGuessedWords, "2");
  const Prior prior = frequency_rank_prior(mechanism.space->model());
  EXPECT_EQ(errors_of(mechanism, prior, 1).best, errors_of(mechanism, prior, 5).best);
  EXPECT_EQ(errors_of(mechanism, prior, 1).posterior, errors_of(mechanism, prior, 5).posterior);
  const AllColumns one = all_columns(mechanism, prior, 1);
  const AllColumns five = all_columns(mechanism, prior, 5);
  for (std::size_t o = 0; o < one.errors.size(); ++o) {
    EXPECT_EQ(one.errors[o].best, five.errors[o].best);
    EXPECT_EQ(one.errors[o].posterior, five.errors[o].posterior);
  }
}

}  // namespace
}  // namespace sotto
