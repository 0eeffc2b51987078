// TemRow against the obvious way: a stable sort, running sums, choose_by_sums.
#include "mechanisms/tem/tem_row.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace sotto {
namespace {

using Weighted = TemRow::Weighted;

bool lighter(const Weighted& a, const Weighted& b) {
  return a.weight < b.weight;
}

struct Lists {
  std::vector<Weighted> clusters;
  std::vector<Weighted> words;
};

// Weights of few different sizes have many ties; those of many sizes have none, and sums that lie far apart.
Lists random_lists(std::size_t clusters, std::size_t words, int sizes, std::mt19937_64& random) {
  Lists lists;
  const auto weight = [&] { return std::exp(-static_cast<double>(random() % sizes) / 7); };
  for (std::uint32_t i = 0; i < clusters; ++i)
    lists.clusters.push_back({.weight = weight(), .id = i, .nearest = 1.0F});
  for (std::uint32_t i = 0; i < words; ++i)
    lists.words.push_back({.weight = weight(), .id = i, .nearest = -1.0F});
  std::stable_sort(lists.words.begin(), lists.words.end(), lighter);
  return lists;
}

// The first `sorted` clusters are given in ascending order.
void expect_the_same_draws(Lists lists, std::uint64_t seed, std::size_t sorted = 0) {
  std::stable_sort(lists.clusters.begin(), lists.clusters.begin() + static_cast<std::ptrdiff_t>(sorted),
                   lighter);
  std::vector<Weighted> expected = lists.clusters;
  expected.insert(expected.end(), lists.words.begin(), lists.words.end());
  std::stable_sort(expected.begin(), expected.end(), lighter);
  std::vector<double> sums;
  for (const Weighted& item : expected) sums.push_back(item.weight + (sums.empty() ? 0 : sums.back()));

  const std::vector<double> distances = {0, 1};
  const std::vector<WordId> near = {word_id(0), word_id(1)};
  Arena arena;
  const TemRow* row =
      TemRow::make({.clusters = lists.clusters, .sorted = sorted}, lists.words,
                   {.distances = distances, .words = near, .nearest = {}, .far_first = {}}, arena);
  Rng ours = Rng::seeded_not_private(seed);
  Rng plain = Rng::seeded_not_private(seed);
  for (int i = 0; i < 2000; ++i) {
    const TemRow::Item* item = nullptr;
    while (item == nullptr) item = row->find(row->draw(ours), ours);
    const std::size_t index = choose_by_sums(plain, sums);
    ASSERT_EQ(item->id, expected[index].id);
    ASSERT_EQ(item->nearest, expected[index].nearest);
    ASSERT_EQ(item->sum, sums[index]);
  }
  ASSERT_EQ(ours.bits(), plain.bits());  // both took the same number of bits
}

TEST(TemRow, DrawsWhatChooseBySumsDraws) {
  std::mt19937_64 random(7);
  for (const int sizes : {1, 3, 40, 1000}) {
    for (const std::size_t clusters : {0, 1, 7, 8, 9, 17, 255, 256}) {
      for (const std::size_t words : {2, 127, 128}) {
        expect_the_same_draws(random_lists(clusters, words, sizes, random), random());
        expect_the_same_draws(random_lists(clusters, words, sizes, random), random(), clusters / 2);
        expect_the_same_draws(random_lists(clusters, words, sizes, random), random(), clusters);
      }
    }
  }
}

// Masses of few sizes have many ties, which must keep their order; `scale` 0 makes all weights equal.
TEST(TemRow, SortsClustersAsAStableSort) {
  std::mt19937_64 random(8);
  for (const std::size_t sizes : {1, 3, 40, 100000}) {
    for (const double scale : {1.0, 0.0, 1e-320}) {
      std::vector<double> masses(Clusters::kMost);
      for (double& mass : masses) mass = 1 + static_cast<double>(random() % sizes);
      std::vector<std::uint16_t> order(masses.size());
      std::iota(order.begin(), order.end(), std::uint16_t{0});
      std::sort(order.begin(), order.end(), [&](auto a, auto b) { return masses[a] < masses[b]; });
      for (const std::size_t count : {0, 1, 2, 64, 200, 256}) {
        std::vector<std::uint16_t> ids = order;
        std::shuffle(ids.begin(), ids.end(), random);
        std::vector<Weighted> clusters;
        for (std::size_t i = 0; i < std::min(count, ids.size()); ++i)
          clusters.push_back({.weight = masses[ids[i]] * scale, .id = ids[i], .nearest = 1});
        std::vector<Weighted> expected = clusters;
        std::stable_sort(expected.begin(), expected.end(), lighter);
        TemRow::sort_clusters(clusters, order);
        for (std::size_t i = 0; i < clusters.size(); ++i) ASSERT_EQ(clusters[i].id, expected[i].id) << i;
      }
    }
  }
}

// One item, a total that is a power of two, and one that is just above it.
TEST(TemRow, DrawsFromTotalsAroundPowersOfTwo) {
  expect_the_same_draws({.clusters = {}, .words = {{.weight = 1, .id = 5, .nearest = -1}}}, 1);
  expect_the_same_draws(
      {.clusters = {{.weight = 3, .id = 1, .nearest = 2}}, .words = {{.weight = 1, .id = 5, .nearest = -1}}},
      2);
  expect_the_same_draws({.clusters = {{.weight = 0x1p-50, .id = 1, .nearest = 2}},
                         .words = {{.weight = 1, .id = 5, .nearest = -1}}},
                        3);
}

TEST(TemRow, KnowsItsHead) {
  const std::vector<double> distances = {0, 2};
  const std::vector<WordId> near = {word_id(4), word_id(7)};
  std::vector<Weighted> words = {{.weight = 1, .id = 4, .nearest = -1}};
  Arena arena;
  const TemRow* row =
      TemRow::make({.clusters = {}, .sorted = 0}, words,
                   {.distances = distances, .words = near, .nearest = {}, .far_first = {}}, arena);
  EXPECT_TRUE(row->has_in_head(word_id(9), 1.5));
  EXPECT_TRUE(row->has_in_head(word_id(7), 2));
  EXPECT_FALSE(row->has_in_head(word_id(8), 2));
  EXPECT_TRUE(row->may_have_in_head(2));
  EXPECT_FALSE(row->may_have_in_head(2.5));
}

}  // namespace
}  // namespace sotto
