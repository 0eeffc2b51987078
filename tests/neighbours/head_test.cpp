#include "neighbours/head.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/models.h"

namespace sotto {
namespace {

// All words sorted by (distance, index): the definition.
std::vector<std::pair<double, WordId>> sorted_row(const Space& space, WordId word) {
  std::vector<std::pair<double, WordId>> row;
  for (std::size_t y = 0; y < space.size(); ++y)
    row.emplace_back(space.distance(word, word_id(y)), word_id(y));
  std::sort(row.begin(), row.end());
  return row;
}

void expect_exact_head(const Space& space, WordId word, std::size_t length) {
  std::vector<double> scratch;
  const Head head = build_head(space, word, length, scratch);
  const auto row = sorted_row(space, word);
  const std::size_t kept = std::min(length, space.size());
  ASSERT_EQ(head.words.size(), kept);
  for (std::size_t i = 0; i < kept; ++i) {
    EXPECT_EQ(head.words[i], row[i].second);
    EXPECT_EQ(head.distances[i], row[i].first);
  }
  EXPECT_EQ(head.beyond, kept < row.size() ? row[kept].first : INFINITY);
}

TEST(Head, IsTheStartOfTheSortedRow) {
  const auto space = Space::make(test::gaussian_model({.words = 300, .dim = 5}), Metric::euclidean);
  for (const std::size_t length : {1U, 2U, 37U, 299U, 300U, 1000U})
    expect_exact_head(*space, word_id(17), length);
}

TEST(Head, TiesGoByIndexAlsoAtTheBoundary) {
  std::vector<float> places;
  places.reserve(60);
  for (int i = 0; i < 60; ++i) places.push_back(static_cast<float>(i % 7));  // many words at each place
  const auto space = Space::make(test::line_model(places), Metric::euclidean);
  for (std::size_t length = 1; length <= 60; ++length) expect_exact_head(*space, word_id(30), length);
}

}  // namespace
}  // namespace sotto
