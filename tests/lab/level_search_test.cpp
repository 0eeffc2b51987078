#include "lab/level_search.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sotto::lab {
namespace {

struct Height {
  double error;
  double x;
};

// A curve that falls from 1 to 0, flat at both ends, with its middle at x = 3.
Height planted(double x) {
  return {.error = 1 / (1 + std::exp(4 * (x - 3))), .x = x};
}

TEST(LevelSearch, FindsAPlantedLevel) {
  int measured = 0;
  LevelSearch<Height> search(
      [&](double x) {
        ++measured;
        return planted(x);
      },
      {.from = -20, .to = 50, .tolerance = 1e-3});
  for (const double level : {0.5, 0.9, 0.05}) {
    const auto found = search.find(level);
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->error, level, 1e-3);
    EXPECT_NEAR(found->x, 3 - std::log(level / (1 - level)) / 4, 0.01);
  }
  // What was measured for one level serves the next: without that each takes about ten.
  const int before = measured;
  EXPECT_TRUE(search.find(0.5));
  EXPECT_EQ(measured, before);
}

TEST(LevelSearch, SaysThatALevelIsOutOfReach) {
  LevelSearch<Height> search(planted, {.from = 2, .to = 4, .tolerance = 1e-3});
  EXPECT_FALSE(search.find(0.999));
  EXPECT_FALSE(search.find(0.001));
  EXPECT_EQ(search.at_start().x, 2);
}

// A step: no point is at the level, and the search must end all the same.
TEST(LevelSearch, EndsOnAStep) {
  LevelSearch<Height> search([](double x) { return Height{.error = x < 1 ? 0.9 : 0.1, .x = x}; },
                             {.from = 0, .to = 2, .tolerance = 1e-3});
  const auto found = search.find(0.5);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->x, 1, 0.1);
}

}  // namespace
}  // namespace sotto::lab
