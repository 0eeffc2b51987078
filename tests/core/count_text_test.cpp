#include "core/count_text.h"

#include <gtest/gtest.h>

namespace sotto {
namespace {

// A reader takes "0%" for never and "100%" for always.
TEST(Percent, OnlyWholeSharesAreShownAsNoneOrAll) {
  EXPECT_EQ(percent(0), "0%");
  EXPECT_EQ(percent(0.0005), "under 0.1%");
  EXPECT_EQ(percent(0.004), "0.4%");
  EXPECT_EQ(percent(0.0996), "10%");
  EXPECT_EQ(percent(0.5), "50%");
  EXPECT_EQ(percent(0.9949), "99%");
  EXPECT_EQ(percent(0.995), "99.5%");
  EXPECT_EQ(percent(0.9988), "99.9%");
  EXPECT_EQ(percent(0.9995), "over 99.9%");
  EXPECT_EQ(percent(1), "100%");
}

}  // namespace
}  // namespace sotto
