#include "neighbours/nearest.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <bit>
#include <cmath>
#include <limits>

#include "neighbours/nearest_models.h"
#include "support/models.h"

namespace sotto {
namespace {

using test::hard_models;
using test::hard_queries;
using test::make_model;
using test::slow_row;

// Words and the bits of their distances, against the definition.
void expect_exact_nearest(const Model& model, const NearestWords& nearest, std::span<const double> queries,
                          const std::vector<std::size_t>& counts) {
  const std::size_t stride = model.stride();
  const std::size_t vectors = queries.size() / stride;
  std::vector<std::vector<Neighbour>> found;
  for (const std::size_t k : counts) {
    found.emplace_back(vectors * k);
    nearest.find(queries, k, found.back());
  }
  for (std::size_t q = 0; q < vectors; ++q) {
    const auto row = slow_row(model, queries.subspan(q * stride, stride));
    for (std::size_t c = 0; c < counts.size(); ++c) {
      for (std::size_t r = 0; r < counts[c]; ++r) {
        const Neighbour& seen = found[c][q * counts[c] + r];
        ASSERT_EQ(index_of(seen.word), row[r].second)
            << "k " << counts[c] << " query " << q << " place " << r;
        ASSERT_EQ(std::bit_cast<std::uint64_t>(seen.squared), std::bit_cast<std::uint64_t>(row[r].first));
      }
    }
  }
}

TEST(NearestWords, AreExactOnEveryHardModel) {
  for (const auto& kind : hard_models()) {
    for (const std::size_t dim : {1U, 3U, 50U, 100U, 300U}) {
      const std::size_t words = dim < 100 ? 333 : 150;  // neither a multiple of a block
      SCOPED_TRACE(std::string(kind.name) + ", dim " + std::to_string(dim));
      const auto model = make_model(kind, words, dim);
      const NearestWords nearest(*model);
      expect_exact_nearest(*model, nearest, hard_queries(*model, 75), {1, 2, 5});
      expect_exact_nearest(*model, nearest, hard_queries(*model, 3), {words});
    }
  }
}

TEST(NearestWords, AreExactAtEverySizeAroundABlock) {
  for (std::size_t words = 1; words <= 50; ++words) {
    const auto model = make_model(hard_models()[0], words, 6);
    const NearestWords nearest(*model);
    for (const std::size_t vectors : {1U, 7U, 8U, 9U, 33U}) {  // around a pass and a group of vectors
      SCOPED_TRACE(std::to_string(words) + " words, " + std::to_string(vectors) + " vectors");
      expect_exact_nearest(*model, nearest, hard_queries(*model, vectors),
                           {1, std::min<std::size_t>(words, 3)});
    }
  }
}

// Several tiles of the first pass, and many more words than are ever kept.
TEST(NearestWords, AreExactOnALargerModelAndComputeFewDistances) {
  const auto model = test::gaussian_model({.words = 5003, .dim = 100});
  const NearestWords nearest(*model);
  const std::size_t stride = model->stride();
  std::vector<double> queries(40 * stride, 0.0);
  Rng rng = Rng::seeded_not_private(4);
  for (std::size_t q = 0; q < 40; ++q) {
    for (std::size_t j = 0; j < 100; ++j) {
      queries[q * stride + j] = model->vector(word_id(q))[j] + static_cast<double>(q % 5) * gaussian(rng);
    }
  }
  expect_exact_nearest(*model, nearest, queries, {1, 2});
  std::vector<Neighbour> found(80);
  EXPECT_LT(nearest.find_counting(queries, 2, found), 40 * 100U);  // some 10 for a query; all would be 5003
}

TEST(NearestWords, AreTheSameOnEverySimdTarget) {
  struct Answers {
    std::vector<std::pair<std::size_t, std::uint64_t>> nearest;
    std::size_t computed;
    bool operator==(const Answers&) const = default;
  };
  const std::int64_t all = hwy::SupportedTargets();
  for (const auto& kind : hard_models()) {
    for (const std::size_t dim : {1U, 30U, 301U}) {
      const auto model = make_model(kind, 201, dim);
      const std::vector<double> queries = hard_queries(*model, 35);
      std::vector<Answers> answers;
      for (std::int64_t rest = all; rest != 0; rest &= rest - 1) {
        hwy::SetSupportedTargetsForTest(rest & -rest);
        std::vector<Neighbour> found(70);
        Answers seen{.nearest = {}, .computed = NearestWords(*model).find_counting(queries, 2, found)};
        for (const Neighbour& each : found) {
          seen.nearest.emplace_back(index_of(each.word), std::bit_cast<std::uint64_t>(each.squared));
        }
        answers.push_back(std::move(seen));
      }
      hwy::SetSupportedTargetsForTest(0);
      for (const Answers& each : answers) EXPECT_EQ(each, answers[0]) << kind.name << ", dim " << dim;
    }
  }
}

TEST(NearestWords, NoVectorsHaveNoNeighbours) {
  const auto model = test::gaussian_model({.words = 300, .dim = 6});
  EXPECT_EQ(NearestWords(*model).find_counting({}, 1, {}), 0U);
}

TEST(NearestWords, TiesGoByIndex) {
  const auto model = test::line_model({5, 1, 3, 1, 3});
  std::vector<double> query(model->stride(), 0.0);
  query[0] = 2;  // words 1 to 4 are all at distance 1
  std::vector<Neighbour> found(5);
  NearestWords(*model).find(query, 5, found);
  for (const std::size_t r : {0U, 1U, 2U, 3U}) EXPECT_EQ(found[r].word, word_id(r + 1));
  EXPECT_EQ(found[4].word, word_id(0));
}

// Noise at an epsilon near 0: every square overflows, and all words are equally far.
TEST(Nearest, WordsWhoseSquaresOverflowComeInIndexOrder) {
  const auto model = test::gaussian_model({.words = 300, .dim = 6});
  const NearestWords nearest(*model);
  std::vector<double> vectors(model->stride(), 0.0);
  for (const double far : {1e200, std::numeric_limits<double>::infinity(), std::nan("")}) {
    vectors[1] = far;
    std::vector<Neighbour> found(3);
    nearest.find(vectors, found.size(), found);
    for (std::size_t r = 0; r < found.size(); ++r) {
      EXPECT_EQ(index_of(found[r].word), r);
      EXPECT_TRUE(std::isfinite(found[r].squared));
    }
  }
}

}  // namespace
}  // namespace sotto
