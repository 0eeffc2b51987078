#include "learn/word_scores.h"

#include <gtest/gtest.h>

#include <cmath>

#include "measure/brute_force.h"

namespace sotto {
namespace {

// Word 0 stands for unknown words, 1 is said by class 1, 2 by class 0, 3 by both, 4 by nobody.
TEST(WordScores, AreTheWeightsOverTheirRootMeanSquare) {
  const auto model = test::gaussian_model({.words = 5, .dim = 2});
  TokenLists texts;
  std::vector<std::uint32_t> labels;
  for (std::uint32_t i = 0; i < 20; ++i) {
    labels.push_back(i % 2);
    for (const std::size_t word : {std::size_t{i % 2 == 1 ? 1U : 2U}, std::size_t{3}, std::size_t{0}}) {
      texts.words.push_back(word_id(word));
    }
    texts.ends.push_back(texts.words.size());
  }
  const WordScores found = word_scores(texts, labels, *model, word_id(0), 1);
  ASSERT_EQ(found.of.size(), 5U);
  EXPECT_EQ(found.scored, 3U) << "words 1, 2 and 3; not the anchor, and not a word that nobody says";
  EXPECT_EQ(found.of[0], 0) << "unknown words must not share a score";
  EXPECT_EQ(found.of[4], 0);
  EXPECT_GT(found.of[1], 0.5);
  EXPECT_NEAR(found.of[1], -found.of[2], 1e-6);
  EXPECT_NEAR(found.of[3], 0, 1e-6);
  double squares = 0;
  for (const double score : found.of) squares += score * score;
  EXPECT_NEAR(squares / 3, 1, 1e-9);
}

// Labels that the texts say nothing of: no scores, and no division by 0.
TEST(WordScores, WithoutWordsAreZero) {
  const auto model = test::gaussian_model({.words = 3, .dim = 2});
  const TokenLists texts{.ends = {0, 0}, .words = {}};
  const WordScores found = word_scores(texts, std::vector<std::uint32_t>{0, 1}, *model, word_id(0), 1);
  EXPECT_EQ(found.of, std::vector<double>(3, 0.0));
  EXPECT_EQ(found.scored, 0U);
}

}  // namespace
}  // namespace sotto
