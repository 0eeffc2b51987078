// What every row of the table of metrics (model/metrics.cpp) must do. A new metric is covered by its row.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "certify/all_pairs.h"
#include "model/metrics.h"
#include "neighbours/neighbourhoods.h"
#include "sotto/extremes.h"
#include "support/models.h"

namespace sotto {
namespace {

class Metrics : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static Metric metric() { return parse_metric(GetParam()); }
  [[nodiscard]] static std::shared_ptr<const Space> space_of(const std::shared_ptr<const Model>& model) {
    return Space::make(model, metric());
  }
};

// Inside the unit ball and not 0, so that every metric is defined. Besides random vectors: near-duplicates,
// opposites, much shorter vectors of the same direction, single coordinates, and an exact copy at the end.
std::shared_ptr<const Model> hard_vectors(std::size_t random, std::size_t dim) {
  Rng rng = Rng::seeded_not_private(dim);
  std::vector<std::string> words;
  std::vector<float> vectors;
  const auto add = [&](const std::vector<float>& x) {
    words.push_back("w" + std::to_string(words.size()));
    vectors.insert(vectors.end(), x.begin(), x.end());
  };
  std::vector<float> first;
  for (std::size_t i = 0; i < random; ++i) {
    std::vector<float> x;
    for (std::size_t j = 0; j < dim; ++j) {
      x.push_back(static_cast<float>(0.2 * gaussian(rng) / std::sqrt(static_cast<double>(dim))));
    }
    if (i == 0) first = x;
    add(x);
    if (i % 8 != 0) continue;
    std::vector<float> changed = x;
    changed[i % dim] = std::nextafter(changed[i % dim], 1.0F);
    add(changed);
    for (const float factor : {-1.0F, 1e-3F}) {
      changed = x;
      for (float& value : changed) value *= factor;
      add(changed);
    }
    std::vector<float> single(dim, 0.0F);
    single[i % dim] = 0.5F;
    add(single);
  }
  add(first);
  return Model::from_words(words, vectors, dim);
}

TEST_P(Metrics, NameIsUniqueAndLeadsToTheRow) {
  const auto names = metric_names();
  EXPECT_EQ(std::ranges::count(names, GetParam()), 1);
  EXPECT_EQ(metric_name(metric()), GetParam());
  EXPECT_EQ(metric_info(metric()).name, GetParam());
  EXPECT_EQ(names.size(), metric_table().size());
}

TEST_P(Metrics, DistancesAreSymmetricToTheBitAndZeroExactlyInOneRow) {
  for (const std::size_t dim : {1U, 16U, 37U}) {
    const auto space = space_of(hard_vectors(40, dim));
    std::vector<double> row(space->size());
    for (std::size_t i = 0; i < space->size(); ++i) {
      const WordId a = word_id(i);
      space->distances_from(a, row);
      EXPECT_EQ(row[i], 0.0);
      for (std::size_t j = 0; j < space->size(); ++j) {
        const WordId b = word_id(j);
        EXPECT_EQ(row[j], space->distance(a, b));
        EXPECT_EQ(row[j], space->distance(b, a));
        if (space->representative(a) == space->representative(b)) {
          EXPECT_EQ(row[j], 0.0);
        } else {
          EXPECT_GE(row[j], 0.0);
          // Only an absolute error can hide a distance that is not 0.
          if (space->distance_error().absolute == 0) {
            EXPECT_GT(row[j], 0.0) << i << ' ' << j;
          }
        }
      }
    }
    EXPECT_EQ(space->representative(word_id(space->size() - 1)), word_id(0));
  }
}

// The bound is stated for both distances and for the exact ones, so the stated errors of three distances
// cover every triangle.
TEST_P(Metrics, TriangleInequalityHoldsWithinTheStatedError) {
  for (const std::size_t dim : {2U, 20U}) {
    const auto space = space_of(hard_vectors(40, dim));
    const DistanceError error = space->distance_error();
    std::vector<std::vector<double>> d(space->size(), std::vector<double>(space->size()));
    for (std::size_t i = 0; i < space->size(); ++i) space->distances_from(word_id(i), d[i]);
    for (const auto& from : d) {
      for (std::size_t b = 0; b < d.size(); ++b) {
        for (std::size_t c = 0; c < d.size(); ++c) {
          ASSERT_LE(from[c], from[b] + d[b][c] + error.at(from[c]) + error.at(from[b]) + error.at(d[b][c]));
        }
      }
    }
  }
}

TEST_P(Metrics, DistancesHaveTheSameBitsAtEverySimdWidth) {
  const auto model = hard_vectors(24, 50);
  std::vector<double> first;
  for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    hwy::SetSupportedTargetsForTest(rest & -rest);
    const auto space = space_of(model);
    std::vector<double> seen(model->size() * model->size());
    for (std::size_t i = 0; i < model->size(); ++i) {
      space->distances_from(word_id(i), std::span(seen).subspan(i * model->size(), model->size()));
    }
    if (first.empty()) first = seen;
    EXPECT_EQ(first, seen);
    hwy::SetSupportedTargetsForTest(0);
  }
}

TEST_P(Metrics, AllPairsAgreesWithSpaceWithinTwoErrors) {
  for (const std::size_t dim : {1U, 7U, 100U}) {
    const auto space = space_of(hard_vectors(300, dim));
    const DistanceError error = space->distance_error();
    const AllPairs pairs(space);
    std::vector<std::size_t> all(pairs.rows());
    std::iota(all.begin(), all.end(), 0);
    pairs.visit_rows(all, {.threads = 1}, [&](std::size_t r, std::span<const double> distances) {
      EXPECT_EQ(distances[r], 0.0);
      for (std::size_t other = 0; other < distances.size(); ++other) {
        const double d = space->distance(pairs.word(r), pairs.word(other));
        ASSERT_LE(std::abs(distances[other] - d), error.at(d) + error.at(distances[other]));
      }
    });
  }
}

TEST_P(Metrics, NoDistanceIsAboveTheDiameterBound) {
  for (const std::size_t dim : {1U, 3U, 100U}) {
    const auto space = space_of(hard_vectors(100, dim));
    EXPECT_TRUE(std::isfinite(space->diameter_bound()));
    EXPECT_LE(space->diameter_bound(),
              metric_info(metric()).largest * (1 + space->distance_error().relative));
    const AllPairs pairs(space);
    const std::vector<double> logs(pairs.rows(), 0.0);
    const Extremes extremes = find_extremes(*space, 1);
    EXPECT_LE(extremes.largest, space->diameter_bound());
    EXPECT_LE(pairs.largest_losses({.kernel = {.slope = 1, .gamma = 1}, .logs = logs}, {}).largest_distance,
              space->diameter_bound());
  }
}

// The shortcuts that Space::is_euclidean allows begin above 2,000 words, and must find what a scan finds.
TEST_P(Metrics, ExtremesAndNeighbourhoodsAreThoseOfAScan) {
  const auto space = space_of(hard_vectors(1400, 5));
  ASSERT_GT(space->size(), 2000U);
  const Extremes extremes = find_extremes(*space, 1);
  Extremes expected;
  std::vector<double> row(space->size());
  for (std::size_t i = 0; i < space->size(); ++i) {
    space->distances_from(word_id(i), row);
    for (std::size_t j = 0; j < i; ++j) {
      if (space->representative(word_id(i)) == space->representative(word_id(j))) continue;
      expected.smallest = std::min(expected.smallest, row[j]);
      expected.largest = std::max(expected.largest, row[j]);
    }
  }
  EXPECT_EQ(extremes.smallest, expected.smallest);
  EXPECT_EQ(extremes.largest, expected.largest);

  const Neighbourhoods neighbourhoods(space, Clusters::make(space->model(), 1));
  const NeighbourhoodLayout& layout = neighbourhoods.layout();
  std::vector<std::uint64_t> record(layout.record_size());
  for (const WordId word : {word_id(0), word_id(1000)}) {
    neighbourhoods.build(std::span(&word, 1), record);
    space->distances_from(word, row);
    std::ranges::sort(row);
    const auto head = layout.view(record.data()).distances;
    EXPECT_TRUE(std::equal(head.begin(), head.end(), row.begin()));
  }
}

INSTANTIATE_TEST_SUITE_P(Table, Metrics, ::testing::ValuesIn([] {
                           const auto names = metric_names();
                           return std::vector<std::string>(names.begin(), names.end());
                         }()),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace sotto
