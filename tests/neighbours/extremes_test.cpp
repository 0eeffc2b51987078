#include "sotto/extremes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/models.h"

namespace sotto {
namespace {

// The definition, pair by pair.
Extremes brute_force(const Space& space) {
  Extremes found;
  for (std::size_t a = 0; a < space.size(); ++a) {
    for (std::size_t b = a + 1; b < space.size(); ++b) {
      const double d = space.distance(word_id(a), word_id(b));
      if (d > 0 && d < found.smallest) {
        found.smallest = d;
        found.nearest = {word_id(a), word_id(b)};
      }
      if (d > found.largest) {
        found.largest = d;
        found.farthest = {word_id(a), word_id(b)};
      }
    }
  }
  return found;
}

void expect_exact_extremes(const Space& space) {
  const Extremes expected = brute_force(space);
  for (const unsigned threads : {1U, 2U, 5U, 0U}) {
    const Extremes found = find_extremes(space, threads);
    EXPECT_EQ(found.smallest, expected.smallest) << threads;
    EXPECT_EQ(found.largest, expected.largest) << threads;
    EXPECT_EQ(found.nearest, expected.nearest) << threads;
    EXPECT_EQ(found.farthest, expected.farthest) << threads;
  }
}

TEST(Extremes, AreThoseOfAllPairsInEveryMetric) {
  const auto model = test::gaussian_model({.words = 150, .dim = 5, .scale = 0.1, .seed = 41});
  for (const std::string_view name : metric_names()) {
    SCOPED_TRACE(name);
    expect_exact_extremes(*Space::make(model, parse_metric(name)));
  }
}

// Above 2,000 words scores choose the pairs that are looked at.
TEST(Extremes, AreExactInLargeModelsToo) {
  expect_exact_extremes(
      *Space::make(test::gaussian_model({.words = 2600, .dim = 12, .seed = 42}), Metric::euclidean));
  // Ties everywhere, and words that share a row.
  std::vector<float> places;
  for (int i = 0; i < 2600; ++i) places.push_back(static_cast<float>((i * 37) % 101));
  expect_exact_extremes(*Space::make(test::line_model(places), Metric::euclidean));
  // Far from the origin, and on both sides of it: the scores have an error larger than the smallest distance.
  std::vector<float> far;
  for (int i = 0; i < 2600; ++i) far.push_back(3000 + static_cast<float>(i % 1301) / 16);
  expect_exact_extremes(*Space::make(test::line_model(far), Metric::euclidean));
  for (int i = 0; i < 2600; i += 2) far[static_cast<std::size_t>(i)] *= -1;
  expect_exact_extremes(*Space::make(test::line_model(far), Metric::euclidean));
}

TEST(Extremes, TiesGoToTheFirstPair) {
  std::vector<float> places;
  places.reserve(100);
  for (int i = 0; i < 100; ++i) places.push_back(static_cast<float>((i * 37) % 101));  // a shuffled grid
  const auto space = Space::make(test::line_model(places), Metric::euclidean);
  expect_exact_extremes(*space);
  EXPECT_EQ(find_extremes(*space, 0).smallest, 1);
}

TEST(Extremes, WordsOfOneRowAreNamedAndDoNotCountAsApart) {
  const auto space = Space::make(test::line_model({5, 0, 5, 2, 0, 2, 5}), Metric::euclidean);
  expect_exact_extremes(*space);
  EXPECT_EQ(find_extremes(*space, 0).smallest, 2);
  EXPECT_EQ(find_extremes(*space, 0).largest, 5);
  const auto pair = [](std::size_t a, std::size_t b) { return WordPair{word_id(a), word_id(b)}; };
  EXPECT_EQ(shared_rows(*space, 9), (std::vector<WordPair>{pair(0, 2), pair(1, 4), pair(3, 5), pair(0, 6)}));
  EXPECT_EQ(shared_rows(*space, 2), (std::vector<WordPair>{pair(0, 2), pair(1, 4)}));
}

TEST(Extremes, NearDuplicatesAreTwoWords) {
  const auto space = Space::make(test::line_model({5, 0, 5, 2, 0, 2.000001F, 1e6F}), Metric::euclidean);
  expect_exact_extremes(*space);
  EXPECT_EQ(find_extremes(*space, 0).smallest, double{2.000001F} - 2);
  EXPECT_EQ(shared_rows(*space, 9).size(), 2U);
}

TEST(Extremes, WithoutTwoWordsApart) {
  for (const std::vector<float>& places : {std::vector<float>{3}, std::vector<float>{3, 3, 3}}) {
    const auto space = Space::make(test::line_model(places), Metric::euclidean);
    const Extremes found = find_extremes(*space, 0);
    EXPECT_EQ(found.smallest, INFINITY);
    EXPECT_EQ(found.largest, 0);
    EXPECT_EQ(shared_rows(*space, 9).size(), places.size() - 1);
  }
}

}  // namespace
}  // namespace sotto
