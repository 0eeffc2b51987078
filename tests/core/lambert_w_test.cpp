#include "core/lambert_w.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sotto/error.h"

namespace sotto {
namespace {

constexpr double kUlp = std::numeric_limits<double>::epsilon();

TEST(LambertW, KnownValues) {
  struct Value {
    double x;
    double w;
  };
  // From 50 digits of Newton's iteration in decimal arithmetic; the first three are classical.
  for (const auto& [x, w] :
       {Value{.x = 1.0, .w = 0.5671432904097838}, Value{.x = 2.718281828459045, .w = 1.0},
        Value{.x = 10.0, .w = 1.7455280027406994}, Value{.x = 100.0, .w = 3.38563014029005},
        Value{.x = -0.1, .w = -0.11183255915896297}, Value{.x = -0.3, .w = -0.4894022271802149},
        Value{.x = -0.367, .w = -0.9323991847479283}, Value{.x = -0.36787, .w = -0.9928527298215277},
        Value{.x = -0.36787944, .w = -0.9999201984841515}, Value{.x = 1e-10, .w = 9.999999999e-11},
        Value{.x = 0.5, .w = 0.35173371124919584}, Value{.x = 1000000.0, .w = 11.383358086140053},
        Value{.x = 1e+100, .w = 224.8431064451185}, Value{.x = 1e+300, .w = 684.2472086297608}}) {
    EXPECT_NEAR(lambert_w0(x), w, 4 * kUlp * std::abs(w)) << x;
  }
  EXPECT_EQ(lambert_w0(0), 0);
}

TEST(LambertW, InvertsItsDefinitionAtEveryMagnitude) {
  // In long double, so that only the error of W shows: a relative error r of w changes w e^w by (1 + w) r.
  for (int i = -520; i < 520; ++i) {
    const double x = std::pow(3.7, i);
    const long double w = lambert_w0(x);
    EXPECT_NEAR(static_cast<double>(w * std::exp(w) / x), 1, 2 * kUlp * (1 + static_cast<double>(w))) << x;
  }
  for (int i = 1; i < 1000; ++i) {
    const double x = i < 500 ? -0.3678 * i / 500 : -std::pow(2.0, 498 - i);
    const long double w = lambert_w0(x);
    EXPECT_NEAR(static_cast<double>(w * std::exp(w) / x), 1, 2 * kUlp) << x;
  }
}

TEST(LambertW, HasNoStepWhereItsMethodsMeet) {
  // Increasing, and w e^w = x still, from the branch point through the end of the series at 1.8e-5 above it.
  double last = -1;
  for (int i = 0; i < 700; ++i) {
    const double above = 1e-16 * std::pow(1.05, i);
    const double x = -0.36787944117144233 + above;
    const double w = lambert_w0(x);
    EXPECT_GE(w, last) << above;
    const long double wide = w;
    // Half a unit of w = -1 + ... moves w e^w by (1 + w) times as much.
    EXPECT_LE(std::abs(static_cast<double>(wide * std::exp(wide) - x)), 2 * kUlp * (1 + w) + 1e-19) << above;
    last = w;
  }
}

TEST(LambertW, AtAndBeyondItsDomain) {
  EXPECT_EQ(lambert_w0(-0.36787944117144233), -1);
  EXPECT_NEAR(lambert_w0(std::numeric_limits<double>::max()), 703.2270331047702, 1e-12);
  for (const double x : {-0.3678794411714424, -1.0, std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    EXPECT_THROW(lambert_w0(x), Error) << x;
  }
}

}  // namespace
}  // namespace sotto
