#include "attack/score.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sotto {
namespace {

TEST(ErrorShare, ByHand) {
  const std::vector<DocumentErrors> documents = {{.wrong = 1, .tokens = 10}, {.wrong = 3, .tokens = 10}, {}};
  const auto share = error_share(documents);
  ASSERT_TRUE(share.has_value());
  EXPECT_DOUBLE_EQ(share->value, 0.2);
  EXPECT_EQ(share->tokens, 20U);
  // Gaps are -1 and 1: the deviation is sqrt(2 * 2) / 20 = .1, and t at one degree of freedom is 12.7.
  EXPECT_DOUBLE_EQ(share->low, 0);
  EXPECT_DOUBLE_EQ(share->high, 1);
}

TEST(ErrorShare, NothingToCountAndOneDocument) {
  EXPECT_FALSE(error_share({}).has_value());
  EXPECT_FALSE(error_share(std::vector<DocumentErrors>(3)).has_value());
  const std::vector<DocumentErrors> one = {{.wrong = 1, .tokens = 4}};
  EXPECT_DOUBLE_EQ(error_share(one)->low, 0);
  EXPECT_DOUBLE_EQ(error_share(one)->high, 1);
}

// Identical documents have no spread, yet nothing is certain.
TEST(ErrorShare, HasAtLeastTheRuleOfThree) {
  const std::vector<DocumentErrors> same(10, {.wrong = 0, .tokens = 10});
  EXPECT_DOUBLE_EQ(error_share(same)->high, 0.03);
}

// 400 words, one document. Token: truth, output, belief.
struct Scene {
  TokenSample sample;
  TokenText outputs;
  Scene() {
    sample.text.words = {word_id(5), word_id(350), word_id(350), word_id(7)};
    sample.text.ends = {4};
    sample.is_unknown = {0, 0, 0, 1};
    outputs.words = {word_id(5), word_id(350), word_id(2), word_id(7)};
    outputs.ends = {4};
  }
};

TEST(Scorer, CountsEachKind) {
  const Scene scene;
  Scorer scorer({.sample = &scene.sample, .outputs = &scene.outputs}, nullptr);
  std::vector<float> belief(400, 0.0F);
  belief[5] = 0.6F;
  belief[350] = 0.4F;
  for (std::size_t token = 0; token < 4; ++token) scorer.believe(token, belief);
  const AttackScore score = scorer.score();
  EXPECT_DOUBLE_EQ(score.error->value, 0.75);       // 5 is guessed everywhere
  EXPECT_DOUBLE_EQ(score.error_content->value, 0);  // of content words, 350
  EXPECT_EQ(score.error_content->tokens, 2U);
  EXPECT_DOUBLE_EQ(score.error_replaced->value, 1);
  EXPECT_EQ(score.error_replaced->tokens, 1U);
  EXPECT_EQ(score.error_unknown->tokens, 1U);
  EXPECT_GT(*score.log_loss, 20);  // the last token had probability 0
}

TEST(Scorer, SpreadsTheRestAsTheBigramDoes) {
  const Scene scene;
  const Truth truth{.sample = &scene.sample, .outputs = &scene.outputs};
  Scorer bigram(truth, nullptr);
  Scorer scorer(truth, &bigram);
  std::vector<float> belief(400, 0.0F);
  belief[5] = 0.5F;
  belief[7] = 0.2F;
  belief[350] = 0.3F;
  for (std::size_t token = 0; token < 4; ++token) bigram.believe(token, belief);
  const std::vector<Belief> some = {{.word = word_id(5), .probability = 0.9}};
  for (std::size_t token = 0; token < 4; ++token) scorer.believe_some(token, some, 0.5);
  // ln of .9; of .1 * .3/.5, twice; of .1 * .2/.5.
  const double expected = -(std::log(0.9) + 2 * std::log(0.06) + std::log(0.04)) / 4;
  EXPECT_NEAR(*scorer.score().log_loss, expected, 1e-6);
  // No content word was named: the bigram's guess stands.
  EXPECT_DOUBLE_EQ(scorer.score().error_content->value, 0);
}

TEST(Scorer, GuessesHaveNoLogLoss) {
  const Scene scene;
  Scorer scorer({.sample = &scene.sample, .outputs = &scene.outputs}, nullptr);
  for (std::size_t token = 0; token < 4; ++token) {
    scorer.guess(token, {.word = scene.outputs.words[token], .content = scene.outputs.words[token]});
  }
  EXPECT_FALSE(scorer.score().log_loss.has_value());
  EXPECT_DOUBLE_EQ(scorer.score().error->value, 0.25);
  EXPECT_DOUBLE_EQ(scorer.score().error_replaced->value, 1);
}

}  // namespace
}  // namespace sotto
