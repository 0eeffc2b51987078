#include "html/labels.h"

#include <gtest/gtest.h>

namespace sotto::html {
namespace {

constexpr Box kArea = {0, 0, 100, 100};

TEST(Labels, TakesTheFirstFreePlace) {
  Labels labels(kArea);
  const std::vector<Box> candidates = {{10, 10, 20, 10}, {50, 10, 20, 10}};
  EXPECT_EQ(labels.place(candidates)->left, 10);
  EXPECT_EQ(labels.place(candidates)->left, 50);
  EXPECT_FALSE(labels.place(candidates));
  EXPECT_EQ(labels.place_always(candidates).left, 10);
}

TEST(Labels, StaysInsideTheArea) {
  Labels labels(kArea);
  const std::vector<Box> outside = {{95, 10, 20, 10}};
  EXPECT_FALSE(labels.place(outside));
  const std::vector<Box> both = {{95, 10, 20, 10}, {70, 10, 20, 10}};
  EXPECT_EQ(labels.place(both)->left, 70);
}

TEST(Labels, RatherHidesNothing) {
  const std::vector<Box> candidates = {{10, 10, 20, 10}, {50, 10, 20, 10}};
  Labels below_mark(kArea);
  below_mark.avoid(Box{12, 12, 8, 8});
  EXPECT_EQ(below_mark.place(candidates)->left, 50);
  Labels below_line(kArea);
  below_line.avoid(Stroke{{0, 0}, {40, 30}});
  EXPECT_EQ(below_line.place(candidates)->left, 50);
  Labels beside_line(kArea);
  beside_line.avoid(Stroke{{0, 50}, {100, 50}});
  beside_line.avoid(Stroke{{5, 0}, {5, 100}});
  EXPECT_EQ(beside_line.place(candidates)->left, 10);
  // A mark is no reason to leave a label out.
  Labels crowded(kArea);
  crowded.avoid(kArea);
  EXPECT_TRUE(crowded.place(candidates));
}

}  // namespace
}  // namespace sotto::html
