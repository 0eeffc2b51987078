#include "neighbours/sketches.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <numeric>

#include "core/samplers.h"
#include "support/models.h"

namespace sotto {
namespace {

std::vector<WordId> reversed_order(std::size_t words) {
  std::vector<WordId> order;
  for (std::size_t w = words; w-- > 0;) order.push_back(word_id(w));
  return order;
}

// Every distance lies between its bounds, on every SIMD target; returns the mean width of the bounds.
double expect_bounds(const std::shared_ptr<const Model>& model) {
  const auto space = Space::make(model, Metric::euclidean);
  const std::vector<WordId> order = reversed_order(model->size());
  const Sketches sketches(*space, order, 2);
  double width = 0;
  double pairs = 0;
  for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    hwy::SetSupportedTargetsForTest(rest & -rest);
    for (std::size_t from = 0; from < model->size(); from += 7) {
      for (std::size_t to = 0; to < model->size(); ++to) {
        const Sketches::Bounds bounds = sketches.distance(word_id(from), to);
        const double distance = space->distance(word_id(from), order[to]);
        EXPECT_LE(bounds.low, distance);
        EXPECT_GE(bounds.high, distance);
        width += bounds.high - bounds.low;
        pairs += 1;
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  return width / pairs;
}

TEST(Sketches, BoundEveryDistance) {
  const double width = expect_bounds(test::gaussian_model({.words = 300, .dim = 100, .seed = 61}));
  EXPECT_LT(width, 0.5);  // of distances about 14: worth having
  expect_bounds(test::gaussian_model({.words = 120, .dim = 1, .seed = 62}));
  expect_bounds(test::gaussian_model({.words = 120, .dim = 17, .seed = 63}));
  expect_bounds(test::gaussian_model({.words = 120, .dim = 300, .seed = 64}));
}

// Coordinates that are cut off, that do not show at the common scale, or where floats are coarse.
TEST(Sketches, AreRefusedWhereSquaresOverflow) {
  const auto space = Space::make(test::line_model({0, 1e25F}), Metric::euclidean);
  EXPECT_FALSE(Sketches(*space, reversed_order(2), 1).is_usable());
  EXPECT_TRUE(
      Sketches(*Space::make(test::line_model({0, 1}), Metric::euclidean), reversed_order(2), 1).is_usable());
}

TEST(Sketches, BoundEveryDistanceOfHardModels) {
  Rng rng = Rng::seeded_not_private(65);
  for (const double outlier : {1e-6, 30.0, 1e6, 1e12}) {
    std::vector<std::string> words;
    std::vector<float> vectors;
    for (std::size_t w = 0; w < 150; ++w) {
      words.push_back("w" + std::to_string(w));
      for (int j = 0; j < 5; ++j) {
        vectors.push_back(static_cast<float>(gaussian(rng) * (w % 10 == 3 ? outlier : 1)));
      }
    }
    expect_bounds(Model::from_words(words, vectors, 5));
  }
  for (const double scale : {1e-20, 1e15}) {
    expect_bounds(test::gaussian_model({.words = 60, .dim = 4, .scale = scale, .seed = 66}));
  }
  expect_bounds(test::line_model(std::vector<float>(40, 0.0F)));
  expect_bounds(test::line_model({1, 1, 1, 1, 1.0000001F}));
}

}  // namespace
}  // namespace sotto
