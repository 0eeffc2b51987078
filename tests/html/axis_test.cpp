#include "html/axis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "core/infinity.h"
#include "html/drawing.h"

namespace sotto::html {
namespace {

using test::kLogarithmic;

std::vector<std::string> texts(const FittedAxis& axis) {
  std::vector<std::string> out;
  for (const Tick& tick : axis.ticks()) {
    if (!tick.text.empty()) out.push_back(tick.text);
  }
  return out;
}

using Texts = std::vector<std::string>;

FittedAxis fit(const Axis& axis, const std::vector<double>& values) {
  return {axis, values};
}

TEST(Axis, StepsAreOneTwoFive) {
  EXPECT_DOUBLE_EQ(round_step(5, 5), 1);
  EXPECT_DOUBLE_EQ(round_step(12, 5), 2);
  EXPECT_DOUBLE_EQ(round_step(0.3, 5), 0.05);
  EXPECT_DOUBLE_EQ(round_step(4e6, 5), 1e6);
}

TEST(Axis, LinearEndsLieOnTicks) {
  const FittedAxis axis = fit({}, {0.03, 0.97});
  EXPECT_EQ(texts(axis), (Texts{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_DOUBLE_EQ(axis.place(0.5), 0.5);
  EXPECT_EQ(texts(fit({}, {-12000, 31000})),
            (Texts{"-20,000", "-10,000", "0", "10,000", "20,000", "30,000", "40,000"}));
  EXPECT_EQ(texts(fit({}, {1e9, 2e9})), (Texts{"1.0e9", "1.2e9", "1.4e9", "1.6e9", "1.8e9", "2.0e9"}));
}

TEST(Axis, LogarithmicTicksArePowersOfTen) {
  EXPECT_EQ(texts(fit({.scale = kLogarithmic}, {0.001, 1000})),
            (Texts{"0.001", "0.01", "0.1", "1", "10", "100", "1,000"}));
  EXPECT_EQ(texts(fit({.scale = kLogarithmic}, {1, 48})), (Texts{"1", "2", "5", "10", "20", "50"}));
  const FittedAxis axis = fit({.scale = kLogarithmic}, {1, 100});
  EXPECT_DOUBLE_EQ(axis.place(10), 0.5);
  const FittedAxis broad = fit({.scale = kLogarithmic}, {1e-40, 1e40});
  EXPECT_GE(texts(broad).size(), 3U);
  EXPECT_LE(texts(broad).size(), 10U);
}

TEST(Axis, FixedEndsStay) {
  const FittedAxis axis = fit({.from = 0, .to = 0.97}, {0.2, 5});
  EXPECT_EQ(axis.from(), 0);
  EXPECT_EQ(axis.to(), 0.97);
  EXPECT_TRUE(axis.shows(0.97));
  EXPECT_FALSE(axis.shows(5));
  EXPECT_GT(axis.place(5), 1);
  EXPECT_EQ(fit({.from = 10}, {1, 2}).from(), 10);  // beyond the data
  EXPECT_GT(fit({.from = 10}, {1, 2}).to(), 10);
  EXPECT_LT(fit({.to = 0}, {1, 2}).from(), 0);
}

TEST(Axis, EndsThatMakeNoRangeAreIgnored) {
  EXPECT_EQ(fit({.from = 5, .to = 5}, {0, 1}).to(), 1);
  EXPECT_EQ(fit({.from = 5, .to = 2}, {0, 1}).to(), 1);
  EXPECT_EQ(fit({.from = std::nan(""), .to = kInfinity}, {0, 1}).to(), 1);
  EXPECT_EQ(fit({.scale = kLogarithmic, .from = 0}, {1, 100}).from(), 1);
}

TEST(Axis, NothingToShowIsStillAnAxis) {
  for (const Axis::Scale scale : {Axis::Scale::linear, kLogarithmic}) {
    for (const std::vector<double>& values :
         {std::vector<double>{}, {std::nan("")}, {kInfinity, -kInfinity}}) {
      const FittedAxis axis = fit({.scale = scale}, values);
      EXPECT_FALSE(axis.has_values());
      EXPECT_LT(axis.from(), axis.to());
      EXPECT_GE(texts(axis).size(), 2U);
    }
  }
  EXPECT_FALSE(fit({.scale = kLogarithmic}, {0, -3}).has_values());
}

TEST(Axis, OneValueGetsRoomAroundIt) {
  for (const double value : {0.0, 7.0, -7.0, 1e299, 1e-299, 123456789.0}) {
    const FittedAxis axis = fit({}, {value, value});
    EXPECT_TRUE(axis.has_values());
    EXPECT_FALSE(axis.has_range());
    EXPECT_GT(axis.place(value), 0.1) << value;
    EXPECT_LT(axis.place(value), 0.9) << value;
  }
  EXPECT_FALSE(fit({}, {1, std::nextafter(1.0, 2.0)}).has_range());
  EXPECT_GT(fit({.scale = kLogarithmic}, {10}).place(10), 0.1);
}

TEST(Axis, WhatHasNoPlaceLiesBeyondTheEnds) {
  const FittedAxis axis = fit({.scale = kLogarithmic}, {1, 10});
  EXPECT_LT(axis.place(0), -1);
  EXPECT_LT(axis.place(-kInfinity), -1);
  EXPECT_GT(axis.place(kInfinity), 1);
  EXPECT_FALSE(axis.shows(0));
  EXPECT_TRUE(std::isfinite(fit({}, {0, 1e-300}).place(-kInfinity)));
}

// Over all sizes: the range holds the data, ticks grow inside it, and no two look alike.
TEST(Axis, AnyDataGiveReadableTicks) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> exponent(-280, 280);
  std::uniform_real_distribution<double> near_exponent(-9, 9);
  for (int i = 0; i < 20000; ++i) {
    const bool logarithmic = i % 2 == 0;
    double one = std::pow(10, i % 4 < 2 ? exponent(random) : near_exponent(random));
    double other =
        i % 3 == 0 ? one * (1 + std::pow(10, near_exponent(random))) : std::pow(10, near_exponent(random));
    if (!logarithmic && i % 5 == 0) one = -one;
    const FittedAxis axis = fit({.scale = logarithmic ? kLogarithmic : Axis::Scale::linear}, {one, other});
    ASSERT_LT(axis.from(), axis.to());
    ASSERT_TRUE(axis.shows(one) && axis.shows(other))
        << one << " " << other << " " << axis.from() << " " << axis.to();
    const Texts shown = texts(axis);
    ASSERT_GE(shown.size(), 2U) << one << " " << other;
    ASSERT_LE(shown.size(), 13U) << one << " " << other;
    ASSERT_EQ(std::set<std::string>(shown.begin(), shown.end()).size(), shown.size()) << one << " " << other;
    for (std::size_t k = 0; k < axis.ticks().size(); ++k) {
      ASSERT_TRUE(axis.shows(axis.ticks()[k].value));
      if (k == 0) continue;
      ASSERT_GT(axis.ticks()[k].value, axis.ticks()[k - 1].value);
    }
  }
}

}  // namespace
}  // namespace sotto::html
