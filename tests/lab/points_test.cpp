#include "lab/points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "core/temporary_folder.h"
#include "lab/data_folder.h"
#include "sotto/error.h"

namespace sotto::lab {
namespace {

const Points::Layout kLayout{.keys = {"series", "trial"}, .values = {"accuracy", "auc"}};

TEST(Points, WhatWasAddedIsThereNextTime) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "points.csv";
  {
    Points points(file, kLayout);
    points.add({.keys = {"tem", "1"}, .values = {0.1 + 0.2, std::numeric_limits<double>::quiet_NaN()}});
    points.add({.keys = {"tem", "2"}, .values = {1, 0.5}});
  }
  const Points again(file, kLayout);
  const std::vector<std::string> first = {"tem", "1"};
  ASSERT_TRUE(again.find(first));
  EXPECT_EQ(again.find(first)->values[0], 0.1 + 0.2);
  EXPECT_TRUE(std::isnan(again.find(first)->values[1]));
  EXPECT_FALSE(again.find(std::vector<std::string>{"tem", "3"}));
  EXPECT_EQ(again.rows().size(), 2U);
  EXPECT_EQ(again.value("auc"), 1U);
}

TEST(Points, ALineCutByAKillIsComputedAgain) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "points.csv";
  std::ofstream(file) << "series,trial,accuracy,auc\ntem,1,0.5,0.5\ntem,2,0.7";
  Points points(file, kLayout);
  EXPECT_EQ(points.rows().size(), 1U);
  points.add({.keys = {"tem", "2"}, .values = {0.75, 0.5}});
  EXPECT_EQ(read_whole(file), "series,trial,accuracy,auc\ntem,1,0.5,0.5\ntem,2,0.75,0.5\n");
}

TEST(Points, AnotherTableIsRefused) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "points.csv";
  std::ofstream(file) << "series,accuracy\ntem,0.5\n";
  EXPECT_THROW(Points(file, kLayout), Error);
  EXPECT_EQ(read_whole(file), "series,accuracy\ntem,0.5\n");
}

TEST(Points, APointIsAddedOnce) {
  const test::TemporaryFolder folder;
  Points points(folder.path() / "points.csv", kLayout);
  points.add({.keys = {"tem", "1"}, .values = {1, 2}});
  EXPECT_THROW(points.add({.keys = {"tem", "1"}, .values = {1, 2}}), Error);
  EXPECT_THROW(points.add({.keys = {"tem"}, .values = {1, 2}}), Error);
}

}  // namespace
}  // namespace sotto::lab
