#include "neighbours/nearest.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/models.h"

namespace sotto {
namespace {

WordId slow_nearest(const Model& model, std::span<const double> query) {
  double best = std::numeric_limits<double>::infinity();
  std::size_t nearest = 0;
  for (std::size_t i = 0; i < model.size(); ++i) {
    double squared = 0;
    const auto row = model.vector(word_id(i));
    for (std::size_t j = 0; j < row.size(); ++j) squared += (query[j] - row[j]) * (query[j] - row[j]);
    if (squared < best) {
      best = squared;
      nearest = i;
    }
  }
  return word_id(nearest);
}

TEST(NearestWord, AgreesWithAPlainScan) {
  const auto model = test::gaussian_model({.words = 1500, .dim = 20});  // several blocks, the last one short
  const NearestWord nearest(*model);
  Rng rng = Rng::seeded_not_private(4);
  const std::size_t stride = model->stride();
  std::vector<double> queries(200 * stride, 0.0);
  for (std::size_t k = 0; k < 200; ++k) {
    for (std::size_t j = 0; j < model->dim(); ++j) {
      queries[k * stride + j] = static_cast<double>(k % 5) * gaussian(rng);
    }
  }
  std::vector<WordId> found(200);
  nearest.find(queries, found);
  for (std::size_t k = 0; k < 200; ++k) {
    EXPECT_EQ(found[k], slow_nearest(*model, std::span(queries).subspan(k * stride, stride)));
  }
}

TEST(NearestWord, TiesGoToTheLowerIndex) {
  const auto model = test::line_model({5, 1, 3, 1, 3});
  std::vector<double> query(model->stride(), 0.0);
  query[0] = 2;  // both places are at distance 1; words 1 and 3 are at 1, words 2 and 4 at 3
  WordId found{};
  NearestWord(*model).find(query, {&found, 1});
  EXPECT_EQ(found, word_id(1));
}

}  // namespace
}  // namespace sotto
