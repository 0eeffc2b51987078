#include "tune/frontier.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sotto/rng.h"

namespace sotto {
namespace {

constexpr UtilityLoss kLoss = UtilityLoss::changed;

TunePoint point_at(const Bounds& error, const Bounds& loss, Status status) {
  return {.candidate = {.mechanism = "tem"},
          .status = status,
          .certified_epsilon = 1,
          .quantities = {
              {.name = "e_opt", .kind = QuantityKind::bracket, .interval = error, .meaning = ""},
              {.name = "loss_changed", .kind = QuantityKind::sampled, .interval = loss, .meaning = ""}}};
}

// On a coarse grid, so that ties are frequent; a tenth is not proven.
std::vector<TunePoint> random_points(std::size_t count, std::uint64_t seed) {
  Rng rng = Rng::seeded_not_private(seed);
  const auto draw = [&] { return static_cast<double>(rng.bits() % 12) / 12; };
  std::vector<TunePoint> points;
  for (std::size_t i = 0; i < count; ++i) {
    const double error = draw();
    const double loss = draw();
    points.push_back(point_at({.low = error, .high = error + 0.1}, {.low = loss - 0.1, .high = loss},
                              rng.bits() % 10 == 0 ? Status::not_private : Status::proven));
    points.back().certified_epsilon = draw();
  }
  return points;
}

bool beats(const Tradeoff& a, const Tradeoff& b) {
  return a.error.low >= b.error.low && a.loss.high <= b.loss.high &&
         (a.error.low > b.error.low || a.loss.high < b.loss.high);
}

TEST(Frontier, IsWhatNobodyBeats) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto points = random_points(40, seed);
    std::vector<std::size_t> expected;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i].status != Status::proven) continue;
      const bool beaten = std::ranges::any_of(points, [&](const TunePoint& other) {
        return other.status == Status::proven &&
               beats(tradeoff_of(other, kLoss).value(), tradeoff_of(points[i], kLoss).value());
      });
      if (!beaten) expected.push_back(i);
    }
    std::vector<std::size_t> found = frontier(points, kLoss);
    std::ranges::sort(found);
    EXPECT_EQ(found, expected) << seed;
  }
}

TEST(Frontier, PointsWithoutTheLossAreLeftOut) {
  std::vector<TunePoint> points = {point_at({.low = 1, .high = 1}, {.low = 0, .high = 0}, Status::proven)};
  EXPECT_TRUE(frontier(points, UtilityLoss::distance).empty());
  EXPECT_FALSE(choose(points, UtilityLoss::distance, {.max_loss = 1}).recommended);
}

TEST(Frontier, ChoiceIsTheBestOfAll) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto points = random_points(40, 1000 + seed);
    const Constraints constraints{.max_loss = 0.5, .max_certified_epsilon = 0.6};
    double best = -1;
    for (const TunePoint& point : points) {
      const Tradeoff own = tradeoff_of(point, kLoss).value();
      if (point.status == Status::proven && own.loss.high <= 0.5 && *point.certified_epsilon <= 0.6) {
        best = std::max(best, own.error.low);
      }
    }
    const Choice choice = choose(points, kLoss, constraints);
    ASSERT_TRUE(choice.recommended);
    const TunePoint& point = points[*choice.recommended];
    EXPECT_TRUE(keeps(point, kLoss, constraints));
    EXPECT_EQ(tradeoff_of(point, kLoss)->error.low, best);
  }
}

TEST(Frontier, InferenceErrorAndEpsilonAskForTheLeastLoss) {
  EXPECT_EQ(aim_of({.max_loss = 0.5, .min_inference_error = 0.5}), Aim::largest_error);
  EXPECT_EQ(aim_of({.min_inference_error = 0.5}), Aim::least_loss);
  EXPECT_EQ(aim_of({.max_certified_epsilon = 1}), Aim::least_loss);
}

TEST(Frontier, NothingFitsButTheNearestIsNamed) {
  const std::vector<TunePoint> points = {
      point_at({.low = 0.2, .high = 0.2}, {.low = 0.1, .high = 0.1}, Status::proven),
      point_at({.low = 0.6, .high = 0.8}, {.low = 0.5, .high = 0.5}, Status::proven),
      point_at({.low = 0.9, .high = 0.9}, {.low = 0.5, .high = 0.5}, Status::not_private)};
  const Choice choice = choose(points, kLoss, {.min_inference_error = 0.7});
  EXPECT_FALSE(choice.recommended);
  EXPECT_EQ(choice.nearest, 1U);
  EXPECT_TRUE(choice.nearest_may_fit);
  EXPECT_FALSE(choose(points, kLoss, {.min_inference_error = 0.85}).nearest_may_fit);
}

TEST(Frontier, WhatMayBeBetterIsNamed) {
  std::vector<TunePoint> points = {
      point_at({.low = 0.5, .high = 0.5}, {.low = 0.3, .high = 0.3}, Status::proven),
      point_at({.low = 0.4, .high = 0.6}, {.low = 0.3, .high = 0.3}, Status::proven),
      point_at({.low = 0.4, .high = 0.9}, {.low = 0.8, .high = 0.8}, Status::proven),
      point_at({.low = 0.4, .high = 0.9}, {.low = 0.3, .high = 0.3}, Status::not_private)};
  for (TunePoint& point : points) point.candidate.mechanism = "laplace";
  const Constraints constraints{.max_loss = 0.5};
  ASSERT_EQ(choose(points, kLoss, constraints).recommended, 0U);
  EXPECT_EQ(undecided(points, 0, kLoss, constraints), std::vector<std::size_t>{1});
}

TEST(Frontier, ClearlyBeatenNeedsBothIntervalsApart) {
  const std::vector<TunePoint> points = {
      point_at({.low = 0.5, .high = 0.6}, {.low = 0.2, .high = 0.3}, Status::proven)};
  const Tradeoff worse{.error = {.low = 0.3, .high = 0.45}, .loss = {.low = 0.35, .high = 0.4}};
  const Tradeoff unclear{.error = {.low = 0.3, .high = 0.55}, .loss = {.low = 0.35, .high = 0.4}};
  EXPECT_TRUE(clearly_beaten(worse, points, kLoss));
  EXPECT_FALSE(clearly_beaten(unclear, points, kLoss));
}

}  // namespace
}  // namespace sotto
