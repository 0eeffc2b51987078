#include "learn/learner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "learn/rehearsal.h"
#include "measure/brute_force.h"

namespace sotto {
namespace {

DenseMatrix column_of(const std::vector<double>& values) {
  return {.rows = values.size(), .columns = 1, .values = values};
}

// By hand. The public texts are the word 0 and the word 1. Own scores 1.5 and -0.5: mean 0.5, deviation 1.
// Public scores 5 and 1: mean 3, deviation 2. Only the public ones are centred: the threshold of the own
// classifier stays.
TEST(Fusion, AddsAShareOfTheStandardisedPublicScores) {
  const TokenLists texts{.ends = {1, 2}, .words = {word_id(0), word_id(1)}};
  const TextModel own{.clean = column_of({1, -1}), .released = column_of({2, 0}), .intercepts = {0.5}};
  const TextModel known{.clean = column_of({4, 0}), .released = column_of({0, 8}), .intercepts = {1}};
  const TextModel both = fused(own, known, texts, 0.25, 1);
  const DenseMatrix clean = scores_of(both, texts, TextKind::clean, 1);
  EXPECT_DOUBLE_EQ(clean.values[0], 1.5 + 0.25 * (5 - 3) / 2);
  EXPECT_DOUBLE_EQ(clean.values[1], -0.5 + 0.25 * (1 - 3) / 2);
  const DenseMatrix released = scores_of(both, texts, TextKind::released, 1);
  EXPECT_DOUBLE_EQ(released.values[0], 2.5 + 0.25 * (1 - 3) / 2);
  EXPECT_DOUBLE_EQ(released.values[1], 0.5 + 0.25 * (9 - 3) / 2);
  // Nothing is added with share 0, but for the scale.
  const TextModel alone = fused(own, known, texts, 0, 1);
  EXPECT_EQ(best_classes(scores_of(alone, texts, TextKind::clean, 1)),
            best_classes(scores_of(own, texts, TextKind::clean, 1)));
}

TEST(Fusion, KeepsTheOrderOfSeveralClasses) {
  const TokenLists texts{.ends = {1, 2, 3}, .words = {word_id(0), word_id(1), word_id(2)}};
  const DenseMatrix scores{.rows = 3, .columns = 3, .values = {3, 0, 1, 0, 0.2, 0.1, 5, 6, 7}};
  const TextModel own{.clean = scores, .released = scores, .intercepts = {0, 0, 0}};
  const TextModel same = fused(own, own, texts, 0, 1);
  EXPECT_EQ(best_classes(scores_of(same, texts, TextKind::clean, 1)), (std::vector<std::uint32_t>{0, 1, 2}));
}

// Two topics; the label is the topic.
struct Topics {
  TokenLists texts = {};
  std::vector<std::uint32_t> labels = {};
};
Topics topics(std::size_t count, std::size_t words) {
  Rng rng = Rng::seeded_not_private(8);
  Topics out;
  for (std::size_t i = 0; i < count; ++i) {
    const auto label = static_cast<std::uint32_t>(rng.bits() % 2);
    for (std::size_t t = 0; t < 20; ++t) {
      const bool is_common = rng.bits() % 2 == 0;
      out.texts.words.push_back(
          word_id(is_common ? rng.bits() % words : label * words / 2 + rng.bits() % (words / 2)));
    }
    out.texts.ends.push_back(out.texts.words.size());
    out.labels.push_back(label);
  }
  return out;
}

TEST(Learner, LearnsFromClearTextsToo) {
  constexpr std::size_t kWords = 60;
  const Mechanism mechanism = test::small_tem(kWords, "2");
  const Topics made = topics(300, kWords);
  const PublicTexts texts =
      privatised_public(made.texts, mechanism, RandomSource::seeded_not_private(1), {.threads = 1});
  const TextSpace space = public_space(mechanism, texts, word_id(0), {.features = 10}, {}, {.threads = 1});
  const TextLabels labels{.of = made.labels, .classes = 2};
  const TextModel clear = fit_text_model(space, texts.clean, TextKind::clean, labels, 1e-3, 1);
  EXPECT_GT(accuracy(best_classes(scores_of(clear, texts.clean, TextKind::clean, 1)), made.labels), 0.95);
  const TextModel other = fit_text_model(space, texts.released, TextKind::released, labels, 1e-3, 1);
  EXPECT_NE(clear.clean.values, other.clean.values);
}

// The spaces that a caller keeps are those that a rehearsal makes itself.
TEST(Rehearsal, WithKeptSpacesAnswersTheSame) {
  constexpr std::size_t kWords = 60;
  const Mechanism mechanism = test::small_tem(kWords, "2");
  const Topics made = topics(300, kWords);
  const PublicTexts texts =
      privatised_public(made.texts, mechanism, RandomSource::seeded_not_private(1), {.threads = 2});
  const std::vector<LearnSettings> settings = {
      {.features = 8, .penalty = 1e-3}, {.features = 4, .penalty = 1e-2}, {.features = 8, .penalty = 1e-1}};
  RehearsalQuestion question{.labels = {.of = made.labels, .classes = 2}, .settings = settings};
  const Rehearsal whole = rehearse(mechanism, texts, word_id(0), question, {}, {.threads = 2});
  const LiftedWords words =
      lifted_words(mechanism, texts.clean, word_id(0), {.features = 8}, {}, {.threads = 2});
  SpacesByFeatures spaces;
  for (const std::size_t features : {4UL, 8UL}) {
    spaces.emplace(features, calibrated(words, texts, features, 2));
  }
  const Rehearsal kept = rehearse(spaces, texts, question, 2);
  ASSERT_EQ(whole.rows.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(kept.rows[i].clean, whole.rows[i].clean);
    EXPECT_EQ(kept.rows[i].released, whole.rows[i].released);
    EXPECT_GT(whole.rows[i].clean, whole.majority);
    EXPECT_LE(whole.rows[i].clean, whole.rows[whole.best].clean);
  }
  EXPECT_EQ(kept.best, whole.best);
  EXPECT_EQ(kept.direct.clean, whole.direct.clean);
  EXPECT_EQ(whole.trained, 150U);
  EXPECT_EQ(whole.tested, 150U);
  question.most_trained = 40;
  const Rehearsal fewer = rehearse(spaces, texts, question, 2);
  EXPECT_EQ(fewer.trained, 40U);
  EXPECT_EQ(fewer.tested, 150U);
}

// A score of 0 draws each label with 1/2, one of log 3 draws label 1 with 3/4; 4,000 of each. A share is off
// by 0.04 with probability below 1e-6 (5 deviations), but the seed is fixed anyway.
TEST(Rehearsal, LabelsAreDrawnWithTheirProbabilities) {
  DenseMatrix scores = DenseMatrix::zeros(8000, 1);
  for (std::size_t i = 4000; i < 8000; ++i) scores.values[i] = std::log(3);
  const std::vector<std::uint32_t> labels = drawn_labels(scores);
  const auto share = [&](std::size_t first) {
    return std::accumulate(labels.begin() + static_cast<std::ptrdiff_t>(first),
                           labels.begin() + static_cast<std::ptrdiff_t>(first + 4000), 0.0) /
           4000;
  };
  EXPECT_NEAR(share(0), 0.5, 0.04);
  EXPECT_NEAR(share(4000), 0.75, 0.04);
  EXPECT_EQ(labels, drawn_labels(scores));
  const DenseMatrix sure{.rows = 3, .columns = 3, .values = {50, 0, 0, 0, 50, 0, 0, 0, 50}};
  EXPECT_EQ(drawn_labels(sure), (std::vector<std::uint32_t>{0, 1, 2}));
}

}  // namespace
}  // namespace sotto
