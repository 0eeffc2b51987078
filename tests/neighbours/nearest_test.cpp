#include "neighbours/nearest.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/models.h"

namespace sotto {
namespace {

std::vector<std::pair<double, std::size_t>> slow_row(const Model& model, std::span<const double> query) {
  std::vector<std::pair<double, std::size_t>> row;
  for (std::size_t i = 0; i < model.size(); ++i) {
    double squared = 0;
    const auto word = model.vector(word_id(i));
    for (std::size_t j = 0; j < word.size(); ++j) squared += (query[j] - word[j]) * (query[j] - word[j]);
    row.emplace_back(squared, i);
  }
  std::sort(row.begin(), row.end());
  return row;
}

TEST(NearestWords, AgreeWithAPlainScan) {
  const auto model = test::gaussian_model({.words = 1500, .dim = 20});  // several blocks, the last one short
  const NearestWords nearest(*model);
  Rng rng = Rng::seeded_not_private(4);
  const std::size_t stride = model->stride();
  std::vector<double> queries(200 * stride, 0.0);
  for (std::size_t q = 0; q < 200; ++q) {
    for (std::size_t j = 0; j < model->dim(); ++j) {
      queries[q * stride + j] = static_cast<double>(q % 5) * gaussian(rng);
    }
  }
  for (const std::size_t k : {1U, 2U, 7U}) {
    std::vector<Neighbour> found(200 * k);
    nearest.find(queries, k, found);
    for (std::size_t q = 0; q < 200; ++q) {
      const auto row = slow_row(*model, std::span(queries).subspan(q * stride, stride));
      for (std::size_t r = 0; r < k; ++r) {
        EXPECT_EQ(found[q * k + r].word, word_id(row[r].second));
        EXPECT_NEAR(found[q * k + r].squared, row[r].first, 1e-9 * row[r].first);
      }
    }
  }
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

}  // namespace
}  // namespace sotto
