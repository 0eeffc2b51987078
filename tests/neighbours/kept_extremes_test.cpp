#include "neighbours/kept_extremes.h"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/temporary_folder.h"
#include "support/models.h"

namespace sotto {
namespace {

constexpr std::size_t kSpaceWords = 2100;
constexpr std::size_t kPairs = 88;  // where the ids begin, then two distances and the checksum
constexpr std::size_t kDistances = kPairs + 32;
constexpr std::size_t kChecksum = kDistances + 16;

class KeptExtremes : public ::testing::Test {
 protected:
  KeptExtremes() {
    test::gaussian_model({.words = kSpaceWords, .dim = 4, .seed = 7})
        ->save(folder_ / "m.sotto", Model::Existing::refuse);
    space_ = Space::make(Model::open(folder_ / "m.sotto", folder_ / "cache"), Metric::euclidean);
    truth_ = find_extremes(*space_, 0);
  }
  void expect_truth() {
    const Extremes found = kept_extremes(*space_, 0);
    EXPECT_EQ(found.smallest, truth_.smallest);
    EXPECT_EQ(found.largest, truth_.largest);
    EXPECT_EQ(found.nearest, truth_.nearest);
    EXPECT_EQ(found.farthest, truth_.farthest);
  }
  [[nodiscard]] std::filesystem::path file() const {
    return space_->model().derived_folder() / "extremes-euclidean.bin";
  }
  std::string bytes() {
    std::ifstream in(file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void put(const std::string& bytes) { std::ofstream(file(), std::ios::binary | std::ios::trunc) << bytes; }
  // The kept file with one field changed and the right checksum, as somebody who knows the format would write
  // it.
  template <class Value>
  void forge(std::string bytes, std::size_t place, const Value& value) {
    std::memcpy(bytes.data() + place, &value, sizeof value);
    const std::uint64_t checksum = XXH3_64bits(bytes.data(), kChecksum);
    std::memcpy(bytes.data() + kChecksum, &checksum, sizeof checksum);
    put(bytes);
  }

  test::TemporaryFolder folder_;
  std::shared_ptr<const Space> space_;
  Extremes truth_;
};

TEST_F(KeptExtremes, AreTheTrueOnesEachTime) {
  expect_truth();
  ASSERT_EQ(bytes().size(), kChecksum + 8);
  const auto written = std::filesystem::last_write_time(file());
  expect_truth();
  EXPECT_EQ(std::filesystem::last_write_time(file()), written);  // read, not computed again
}

TEST_F(KeptExtremes, WhatIsDamagedOrForgedIsComputedAgain) {
  expect_truth();
  const std::string good = bytes();
  const auto expect_replaced = [&](const char* what) {
    SCOPED_TRACE(what);
    ASSERT_NE(bytes(), good);
    expect_truth();
    EXPECT_EQ(bytes(), good);
  };
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, good.size() - 1}) {
    put(good.substr(0, size));
    expect_replaced("cut");
  }
  put(good + "x");
  expect_replaced("longer");
  std::string flipped = good;
  flipped[kDistances] = static_cast<char>(flipped[kDistances] ^ 1);
  put(flipped);
  expect_replaced("a flipped bit");
  forge(good, kPairs, std::uint64_t{kSpaceWords});
  expect_replaced("an id out of range");
  forge(good, kPairs, std::uint64_t{~std::uint64_t{0}});
  expect_replaced("an id far out of range");
  forge(good, kDistances, 2 * truth_.smallest);
  expect_replaced("a distance that is not the pair's");
  forge(good, 8, 'x');
  expect_replaced("another model");
  forge(good, 80, std::uint64_t{1});
  expect_replaced("another metric");
  // A pair that exists with its true distance, but is not the nearest: most words have a nearer one.
  std::string other = good;
  const double apart = space_->distance(word_id(0), word_id(1));
  const std::uint64_t first = 0;
  std::memcpy(other.data() + kPairs, &first, 8);
  std::memcpy(other.data() + kDistances, &apart, 8);
  forge(other, kPairs + 8, std::uint64_t{1});
  expect_replaced("a pair that is not the nearest");
}

TEST_F(KeptExtremes, AFolderThatOthersMayEnterIsNotRead) {
  expect_truth();
  std::filesystem::permissions(file().parent_path(), std::filesystem::perms(0755));
  put("planted");
  expect_truth();
  EXPECT_EQ(bytes(), "planted");  // nor written
}

TEST(KeptExtremesElsewhere, ASmallModelOrOneWithoutAFolderKeepsNothing) {
  const test::TemporaryFolder folder;
  test::gaussian_model({.words = 50, .dim = 4, .seed = 7})->save(folder / "m.sotto", Model::Existing::refuse);
  const auto space = Space::make(Model::open(folder / "m.sotto", folder / "cache"), Metric::euclidean);
  EXPECT_EQ(kept_extremes(*space, 0).smallest, find_extremes(*space, 0).smallest);
  EXPECT_FALSE(std::filesystem::exists(space->model().derived_folder()));
  const auto nowhere =
      Space::make(test::gaussian_model({.words = kSpaceWords, .dim = 2, .seed = 7}), Metric::euclidean);
  EXPECT_EQ(kept_extremes(*nowhere, 0).largest, find_extremes(*nowhere, 0).largest);
}

}  // namespace
}  // namespace sotto
