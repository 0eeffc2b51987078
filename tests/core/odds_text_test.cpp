#include "core/odds_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sotto {
namespace {

TEST(OddsText, IsRoundedUp) {
  EXPECT_EQ(odds_text(0), "1");
  EXPECT_EQ(odds_text(1e-13), "1.001");
  EXPECT_EQ(odds_text(std::log(1.5)), "1.51");  // what rounding adds is covered
  EXPECT_EQ(odds_text(std::log(2.41)), "2.5");
  EXPECT_EQ(odds_text(std::log(3610)), "3,700");
  EXPECT_EQ(odds_text(std::log(3699)), "3,700");
  EXPECT_EQ(odds_text(std::log(995)), "1,000");
}

TEST(OddsText, LargeFactorsAreNamed) {
  EXPECT_EQ(odds_text(std::log(5.55e6)), "5.6 million");
  EXPECT_EQ(odds_text(std::log(999.9e6)), "1 billion");
  EXPECT_EQ(odds_text(std::log(2.3e9) - 0.001), "2.3 billion");
  EXPECT_EQ(odds_text(std::log(6.44e11)), "650 billion");
  EXPECT_EQ(odds_text(13.5 * std::log(10.0)), "a number with 14 digits");
  EXPECT_EQ(odds_text(5000), "a number with 2,172 digits");
  EXPECT_EQ(odds_text(std::numeric_limits<double>::infinity()), "unlimited");
}

TEST(OddsText, Sentences) {
  EXPECT_EQ(surer_text(0), "no surer than before");
  EXPECT_EQ(surer_text(std::log(40.5)), "at most 41 times surer");
  EXPECT_EQ(surer_text(5000), "surer by up to a factor with 2,172 digits");
  EXPECT_EQ(surer_text(std::numeric_limits<double>::infinity()), "surer without any limit");
}

}  // namespace
}  // namespace sotto
