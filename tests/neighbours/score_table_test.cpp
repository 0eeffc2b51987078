// What the scores of the table promise of distances, for every pair of words.
#include "neighbours/score_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/models.h"

namespace sotto {
namespace {

void expect_bounds_hold(const std::shared_ptr<const Model>& model) {
  const auto space = Space::make(model, Metric::euclidean);
  const Clusters clusters = Clusters::make(*model, 1);
  const ScoreTable table(*space, clusters);
  ASSERT_TRUE(table.is_usable());
  std::vector<WordId> words;
  for (std::size_t w = 0; w < model->size(); ++w) words.push_back(word_id(w));
  ScoreTable::Scores scores;
  table.score(words, scores);
  for (const WordId one : words) {
    const ScoreBounds bounds = table.bounds(one);
    const float* row = scores.scores.data() + index_of(one) * table.places();
    for (const WordId other : words) {
      const double score = row[table.place(other)];
      const double distance = space->distance(one, other);
      ASSERT_LE(distance, bounds.most(score)) << index_of(one) << " and " << index_of(other);
      ASSERT_LE(score, bounds.most_score(distance)) << index_of(one) << " and " << index_of(other);
      ASSERT_GE(score, bounds.least_score(distance)) << index_of(one) << " and " << index_of(other);
    }
  }
}

TEST(ScoreTable, BoundsHoldForEveryPair) {
  expect_bounds_hold(test::gaussian_model({.words = 400, .dim = 100, .seed = 1}));
  // An odd number of coordinates: the last pair has one.
  expect_bounds_hold(test::gaussian_model({.words = 300, .dim = 7, .seed = 2}));
  // The integers have the most bits.
  expect_bounds_hold(test::gaussian_model({.words = 500, .dim = 1, .seed = 3}));
  for (const double scale : {1e-44, 1e-25, 1e18, 1e37})
    expect_bounds_hold(test::gaussian_model({.words = 200, .dim = 4, .scale = scale, .seed = 4}));
}

// The grid is coarse: most words have the same point.
TEST(ScoreTable, BoundsHoldBesideAnOutlier) {
  std::vector<float> places(300);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = 0.001F * static_cast<float>(i);
  places.back() = 3000;
  expect_bounds_hold(test::line_model(places));
}

TEST(ScoreTable, EqualVectorsHaveNoScores) {
  const auto model = test::line_model(std::vector<float>(50, 2.5F));
  const auto space = Space::make(model, Metric::euclidean);
  EXPECT_FALSE(ScoreTable(*space, Clusters::make(*model, 1)).is_usable());
}

// Every score of a chunk, or of places without a word, is at least the chunk's minimum.
TEST(ScoreTable, MinimaAreThoseOfTheScores) {
  const auto model = test::gaussian_model({.words = 333, .dim = 9, .seed = 5});
  const auto space = Space::make(model, Metric::euclidean);
  const ScoreTable table(*space, Clusters::make(*model, 1));
  const std::vector<WordId> words = {word_id(0), word_id(7), word_id(332)};
  ScoreTable::Scores scores;
  table.score(words, scores);
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (std::size_t chunk = 0; chunk < table.chunks(); ++chunk) {
      const float* first = scores.scores.data() + i * table.places() + chunk * kChunk;
      EXPECT_EQ(scores.minima[i * table.chunks() + chunk], *std::min_element(first, first + kChunk));
    }
  }
}

}  // namespace
}  // namespace sotto
