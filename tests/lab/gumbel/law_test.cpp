#include "lab/gumbel/law.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "lab/gumbel/claims.h"
#include "lab/gumbel/small_world.h"
#include "lab/gumbel/vocabulary.h"
#include "measure/deniability.h"
#include "neighbours/head.h"
#include "sotto/certificate.h"
#include "sotto/error.h"

namespace sotto::lab::gumbel {
namespace {

const Curve kTruncated{"truncated-gumbel", Curve::Strength::log_epsilon, {0, 5}};

class GumbelLaw : public ::testing::Test {
 protected:
  SmallWorld world_;
};

TEST_F(GumbelLaw, TheHeadLawIsTheMechanismsLaw) {
  const lab::Run run(world_.request("out"), "gumbel", {});
  const Domain domain = domain_of(run, "imdb");
  ASSERT_EQ(domain.space->size(), SmallWorld::kWords);
  for (const double strength : kTruncated.strengths) {
    const std::string epsilon = epsilon_text(kTruncated, strength, domain);
    const Mechanism mechanism =
        build_mechanism("truncated-gumbel", domain.space->shared_model(), {{"epsilon", epsilon}}, {})
            .mechanism;
    std::vector<double> row;
    for (const std::size_t w : {0U, 7U, 59U}) {
      const Head head = build_head(*domain.space, word_id(w), domain.space->size(), row);
      const std::vector<double> law =
          truncated_gumbel_head_law(head.distances, parse_number("e", epsilon, Infinity::refused), domain);
      const std::vector<double> whole = mechanism.words->log_law(word_id(w)).value();
      for (std::size_t r = 0; r < law.size(); ++r) {
        EXPECT_NEAR(law[r], std::exp(whole[index_of(head.words[r])]), 1e-9);
      }
    }
  }
}

// The head stands in for all words in the case K = n alone: a law of the first half is off by 1/n at most.
TEST_F(GumbelLaw, AShortHeadIsOffByTheProbabilityOfAllCandidates) {
  const lab::Run run(world_.request("out"), "gumbel", {});
  const Domain domain = domain_of(run, "imdb");
  const double epsilon = std::exp(5);
  std::vector<double> row;
  const auto law_of = [&](std::size_t length) {
    return truncated_gumbel_head_law(build_head(*domain.space, word_id(3), length, row).distances, epsilon,
                                     domain);
  };
  const std::vector<double> whole = law_of(domain.space->size());
  const std::vector<double> head = law_of(40);
  EXPECT_NEAR(std::accumulate(head.begin(), head.end(), 0.0), 1, 1e-9);
  for (std::size_t r = 0; r < head.size(); ++r) EXPECT_NEAR(head[r], whole[r], 1.01 / SmallWorld::kWords);
}

TEST_F(GumbelLaw, EveryStrengthIsAnEpsilonThatTheMechanismTakes) {
  const lab::Run run(world_.request("out"), "gumbel", {});
  const Domain domain = domain_of(run, "snli");
  const Curve topk{"gumbel-topk", Curve::Strength::inverse_scale, {0.01, 2}};
  for (const Curve& curve : {kTruncated, topk}) {
    for (const double strength : curve.strengths) {
      const WordStatistics words =
          word_statistics(curve, epsilon_text(curve, strength, domain), domain, 20, 1, 1);
      EXPECT_TRUE(words.exact);
      EXPECT_EQ(words.unchanged.size(), 20U);
      for (const double p : words.unchanged) EXPECT_TRUE(p > 0 && p <= 1) << p;
    }
  }
  EXPECT_THROW(build_mechanism("truncated-gumbel", domain.space->shared_model(),
                               {{"epsilon", number_text(0.99 * smallest_truncated_epsilon(domain))}}, {}),
               Error);
}

// Numbers of the proof page: two words at distance 1, epsilon 6.5.
TEST_F(GumbelLaw, LemmaOneIsFalse) {
  Points table(world_.path("claims.csv"), claims_layout());
  measure_claims({.curves = {}, .curve_words = 20}, {}, table);
  const auto random = table.find(std::vector<std::string>{"two words", "lemma 1", "random"});
  const auto two = table.find(std::vector<std::string>{"two words", "lemma 1", "2"});
  ASSERT_TRUE(random && two);
  EXPECT_NEAR(random->values[table.value("bound")], .3816, 5e-5);
  EXPECT_NEAR(random->values[table.value("exact")], .9183, 5e-5);
  EXPECT_NEAR(two->values[table.value("exact")], .8750, 5e-5);
  EXPECT_EQ(two->values[table.value("share_broken")], 1);
}

TEST_F(GumbelLaw, VocabulariesComeFromPublicTextsOnly) {
  // A word that only a training review has is not in the vocabulary.
  std::ofstream(world_.path("data/imdb/imdb_unsup.txt")) << SmallWorld::word(3) << ' ' << SmallWorld::word(4);
  const lab::Run run(world_.request("out"), "gumbel", {});
  const auto vocabulary = vocabulary_of(run, "imdb");
  ASSERT_EQ(vocabulary->size(), 2U);
  EXPECT_EQ(vocabulary->word(word_id(0)), SmallWorld::word(3));
}

TEST_F(GumbelLaw, DataAreReadWithTheirSplits) {
  const DataFolder data(world_.path("data"));
  const RawData imdb = read_imdb(data);
  EXPECT_EQ(imdb.train.texts.texts.size(), 96U);
  EXPECT_EQ(imdb.dev.texts.texts.size(), 24U);
  EXPECT_EQ(imdb.test.texts.texts.size(), 60U);
  const RawData snli = read_snli(data);
  EXPECT_EQ(snli.train.premises.size(), snli.train.texts.texts.size());
  EXPECT_EQ(snli.dev.texts.texts.size(), 60U);
  // The same file under two names: its pairs count once.
  std::filesystem::copy_file(world_.path("data/snli/snli_train_subset18k.tsv"),
                             world_.path("data/snli/snli_train_first3k.tsv"),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(read_snli(data).train.texts.texts.size(), 140U);
  std::ofstream(world_.path("data/snli/snli_dev_tokenized.tsv")) << "label\tpremise\thypothesis\nyes\tcanary";
  try {
    read_snli(data);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::Not(::testing::HasSubstr("canary")));
  }
}

}  // namespace
}  // namespace sotto::lab::gumbel
