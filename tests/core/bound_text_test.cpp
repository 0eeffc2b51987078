#include "core/bound_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "sotto/rng.h"

namespace sotto {
namespace {

double read(const std::string& text) {
  return std::strtod(text.c_str(), nullptr);
}

TEST(BoundText, RoundsAwayFromTheBetterLookingSide) {
  EXPECT_EQ(rounded_up(1.0000001), "1.00001");
  EXPECT_EQ(rounded_up(2.34, 2), "2.4");
  EXPECT_EQ(rounded_up(9.9999999), "10");
  EXPECT_EQ(rounded_up(0.5), "0.5");
  EXPECT_EQ(rounded_up(0), "0");
  EXPECT_EQ(rounded_up(-1.0000001), "-1");
  EXPECT_EQ(rounded_down(9.9999999), "9.99999");
  EXPECT_EQ(rounded_down(2.36, 2), "2.3");
}

TEST(BoundText, NamesWhatIsNoNumber) {
  EXPECT_EQ(rounded_up(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(rounded_up(std::nan("")), "nan");
  // No double is above it; the text reads as infinity.
  EXPECT_EQ(rounded_up(std::numeric_limits<double>::max(), 3), "1.8e+308");
}

// Every double of every size: the text bounds it, and by no more than one unit of its last digit.
TEST(BoundText, BoundsAnyDoubleTightly) {
  Rng rng = Rng::seeded_not_private(14);
  for (int i = 0; i < 20000; ++i) {
    const auto digits = static_cast<int>(1 + rng.bits() % 8);
    const double value = std::ldexp(1 + std::ldexp(static_cast<double>(rng.bits() >> 11), -53),
                                    static_cast<int>(rng.bits() % 2000) - 1000);
    const double up = read(rounded_up(value, digits));
    const double down = read(rounded_down(value, digits));
    ASSERT_GE(up, value);
    ASSERT_LE(down, value);
    ASSERT_LE(up - down, value * std::pow(10.0, 1 - digits) * (1 + 1e-12)) << value << " " << digits;
  }
}

TEST(BoundText, SumsAndProductsAreRoundedUpOnlyIfRounded) {
  EXPECT_EQ(sum_up(0, 0), 0);
  EXPECT_EQ(sum_up(1, 2), 3);
  EXPECT_EQ(sum_up(1, 1e-30), std::nextafter(1.0, 2.0));
  EXPECT_EQ(sum_up(1e-30, 1), std::nextafter(1.0, 2.0));
  EXPECT_EQ(sum_up(std::nextafter(1.0, 2.0), 0x1p-54), std::nextafter(std::nextafter(1.0, 2.0), 2.0));
  EXPECT_EQ(sum_up(1, -0x1p-60), 1);
  EXPECT_EQ(product_up(3, 4), 12);
  // The fused operation rounds once, so its sign is that of the exact difference.
  Rng rng = Rng::seeded_not_private(15);
  for (int i = 0; i < 1000; ++i) {
    const auto one = static_cast<double>(rng.bits());
    const auto other = static_cast<double>(rng.bits());
    const double up = product_up(one, other);
    ASSERT_LE(std::fma(one, other, -up), 0);
    ASSERT_GT(std::fma(one, other, -std::nextafter(up, 0.0)), 0);
  }
}

}  // namespace
}  // namespace sotto
