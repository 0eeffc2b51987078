#include "neighbours/neighbourhoods.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/samplers.h"
#include "support/models.h"

namespace sotto {
namespace {

std::vector<std::uint64_t> built(const Neighbourhoods& neighbourhoods, std::span<const WordId> words) {
  std::vector<std::uint64_t> records(words.size() * neighbourhoods.layout().record_size());
  neighbourhoods.build(words, records);
  return records;
}

std::vector<WordId> every(std::size_t count, std::size_t step) {
  std::vector<WordId> words;
  for (std::size_t w = 0; w < count; w += step) words.push_back(word_id(w));
  return words;
}

// The definition, from all distances.
void expect_exact_neighbourhood(const Neighbourhoods& neighbourhoods, WordId word,
                                const Neighbourhood& found) {
  const Space& space = neighbourhoods.space();
  std::vector<std::pair<double, WordId>> row;
  for (std::size_t y = 0; y < space.size(); ++y) {
    row.emplace_back(space.distance(word, word_id(y)), word_id(y));
  }
  std::sort(row.begin(), row.end());
  const std::size_t head = std::min(Neighbourhoods::kHead, space.size());
  ASSERT_EQ(found.words.size(), head);
  for (std::size_t i = 0; i < head; ++i) {
    ASSERT_EQ(found.words[i], row[i].second) << i;
    ASSERT_EQ(found.distances[i], row[i].first) << i;
  }
  const std::set<WordId> in_head(found.words.begin(), found.words.end());
  for (std::size_t c = 0; c < neighbourhoods.clusters().size(); ++c) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const WordId member : neighbourhoods.clusters().members(c)) {
      if (!in_head.contains(member)) nearest = std::min(nearest, space.distance(word, member));
    }
    // The float at or just below.
    ASSERT_LE(double{found.nearest[c]}, nearest);
    ASSERT_GE(std::nextafter(found.nearest[c], std::numeric_limits<float>::infinity()), nearest);
  }
  for (std::size_t i = 1; i < found.far_first.size(); ++i) {
    ASSERT_GE(found.nearest[found.far_first[i - 1]], found.nearest[found.far_first[i]]);
  }
  std::vector<std::uint16_t> order(found.far_first.begin(), found.far_first.end());
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], i);
}

void expect_all_exact(const std::shared_ptr<const Model>& model, Metric metric, std::size_t step) {
  const auto space = Space::make(model, metric);
  const Neighbourhoods neighbourhoods(space, Clusters::make(*model, 2));
  const std::vector<WordId> words = every(model->size(), step);
  const auto records = built(neighbourhoods, words);
  const std::size_t size = neighbourhoods.layout().record_size();
  for (std::size_t i = 0; i < words.size(); ++i) {
    expect_exact_neighbourhood(neighbourhoods, words[i],
                               neighbourhoods.layout().view(records.data() + i * size));
  }
}

TEST(Neighbourhoods, AreExact) {
  expect_all_exact(test::gaussian_model({.words = 3000, .dim = 20, .seed = 5}), Metric::euclidean, 61);
  expect_all_exact(test::gaussian_model({.words = 1000, .dim = 1, .seed = 6}), Metric::euclidean, 37);
  expect_all_exact(test::gaussian_model({.words = 700, .dim = 100, .seed = 7}), Metric::euclidean, 97);
  for (const std::size_t words : {1U, 2U, 31U, 33U, 127U, 128U, 129U}) {
    expect_all_exact(test::gaussian_model({.words = words, .dim = 3, .seed = 8}), Metric::euclidean, 1);
  }
}

TEST(Neighbourhoods, AreExactInEveryMetric) {
  const auto model = test::gaussian_model({.words = 900, .dim = 6, .scale = 0.1, .seed = 9});
  for (const std::string_view name : metric_names()) expect_all_exact(model, parse_metric(name), 101);
}

// Two groups of words far from each other: the grid of the scores is coarser than the distances inside a
// group, so that half of all words are candidates, and only the exact distances tell them apart. Without the
// residuals in the bounds this fails.
TEST(Neighbourhoods, AreExactWhereTheGridIsCoarse) {
  Rng rng = Rng::seeded_not_private(10);
  std::vector<std::string> words;
  std::vector<float> vectors;
  for (std::size_t w = 0; w < 1500; ++w) {
    words.push_back("w" + std::to_string(w));
    for (int j = 0; j < 8; ++j)
      vectors.push_back(static_cast<float>((w % 2 == 0 ? 30000 : -30000) + gaussian(rng)));
  }
  expect_all_exact(Model::from_words(words, vectors, 8), Metric::euclidean, 151);
}

TEST(Neighbourhoods, AreExactAtEveryScale) {
  for (const double scale : {1e-25, 1e-12, 1e12, 1e18}) {  // the squares of the last overflow float32
    expect_all_exact(test::gaussian_model({.words = 400, .dim = 4, .scale = scale, .seed = 11}),
                     Metric::euclidean, 57);
  }
}

// Duplicates share a row; ties go by index, also at the end of the head.
TEST(Neighbourhoods, AreExactAmongDuplicatesAndTies) {
  std::vector<float> places;
  places.reserve(1200);
  for (int i = 0; i < 1200; ++i) places.push_back(static_cast<float>(i % 7));
  expect_all_exact(test::line_model(places), Metric::euclidean, 173);
}

// One word is so long that the error bound of the scores exceeds the distances of all others.
TEST(Neighbourhoods, AreExactBesideAnOutlier) {
  const auto base = test::gaussian_model({.words = 600, .dim = 6, .seed = 12});
  std::vector<std::string> words;
  std::vector<float> vectors;
  for (std::size_t i = 0; i < 600; ++i) {
    words.push_back("w" + std::to_string(i));
    for (const float x : base->vector(word_id(i < 300 ? i : i - 300))) {
      vectors.push_back(i == 599 ? 2.3e6F * x : i < 300 ? x : std::nextafter(x, 9.0F));
    }
  }
  expect_all_exact(Model::from_words(words, vectors, 6), Metric::euclidean, 23);
}

// Scores differ between SIMD targets, neighbourhoods do not.
TEST(Neighbourhoods, AreTheSameOnEverySimdTarget) {
  const auto model = test::gaussian_model({.words = 2000, .dim = 50, .seed = 12});
  const auto space = Space::make(model, Metric::euclidean);
  const std::vector<WordId> words = every(2000, 41);
  const std::int64_t all = hwy::SupportedTargets();
  std::vector<std::uint64_t> first;
  for (std::int64_t rest = all; rest != 0; rest &= rest - 1) {
    hwy::SetSupportedTargetsForTest(rest & -rest);
    const Neighbourhoods neighbourhoods(space, Clusters::make(*model, 1));
    const auto records = built(neighbourhoods, words);
    if (first.empty()) first = records;
    EXPECT_EQ(records, first);
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(Clusters, ArePartitionsThatDoNotDependOnThreads) {
  for (const std::size_t words : {1U, 63U, 64U, 500U, 5000U}) {
    const auto model = test::gaussian_model({.words = words, .dim = 4, .seed = 13});
    const Clusters one = Clusters::make(*model, 1);
    const Clusters many = Clusters::make(*model, 3);
    EXPECT_TRUE(std::ranges::equal(one.order(), many.order()));
    EXPECT_TRUE(std::ranges::equal(one.begins(), many.begins()));
    std::set<WordId> seen;
    for (std::size_t c = 0; c < one.size(); ++c) {
      EXPECT_FALSE(one.members(c).empty());
      seen.insert(one.members(c).begin(), one.members(c).end());
    }
    EXPECT_EQ(seen.size(), words);
    EXPECT_LE(one.size(), Clusters::kMost);
  }
}

}  // namespace
}  // namespace sotto
