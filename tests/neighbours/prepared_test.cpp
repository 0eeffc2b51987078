#include "neighbours/prepared.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>

#include "core/infinity.h"
#include "core/temporary_folder.h"
#include "sotto/error.h"
#include "support/models.h"

namespace sotto {
namespace {

namespace fs = std::filesystem;

// A model of 300 words, opened with a cache of its own, 200 of them prepared.
class Prepared : public ::testing::Test {
 protected:
  Prepared() {
    test::gaussian_model({.words = 300, .dim = 4, .seed = 3})
        ->save(folder_ / "m.sotto", Model::Existing::refuse);
    space_ = Space::make(Model::open(folder_ / "m.sotto", folder_ / "cache"), Metric::euclidean);
    std::size_t last = 0;
    file_ = prepare_neighbourhoods(space_, 200, 2, [&](std::size_t done, std::size_t total) {
      EXPECT_GT(done, last);
      EXPECT_EQ(total, 200U);
      last = done;
    });
    EXPECT_EQ(last, 200U);
    honest_ = test::contents(file_);
  }
  // With byte `at` changed.
  void damage(std::size_t at) const {
    std::string bytes = test::contents(file_);
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    std::ofstream(file_, std::ios::binary) << bytes;
  }

  // The parts of a file: header (120 bytes, the last 8 its checksum), tables of the clusters, records.
  static constexpr std::size_t kHeader = 120;
  static constexpr std::size_t kTableChecksum = 104;
  [[nodiscard]] NeighbourhoodLayout layout() const {
    return {std::min(Neighbourhoods::kHead, space_->size()), Clusters::make(space_->model(), 1).size()};
  }
  [[nodiscard]] std::size_t tables() const {
    return ((layout().clusters() + 1 + space_->size()) * sizeof(std::uint32_t) + 7) / 8 * 8;
  }
  // With the value at `at` of the file replaced and every checksum right, as a forger would write it.
  template <typename T>
  void forge(std::size_t at, T value) const {
    std::string bytes = honest_;
    std::memcpy(bytes.data() + at, &value, sizeof value);
    const auto set = [&](std::size_t place, std::uint64_t checksum) {
      std::memcpy(bytes.data() + place, &checksum, sizeof checksum);
    };
    if (at >= kHeader) set(kTableChecksum, XXH3_64bits(bytes.data() + kHeader, tables()));
    set(kHeader - 8, XXH3_64bits(bytes.data(), kHeader - 8));
    const std::size_t record = layout().record_size() * 8;
    for (std::size_t w = 0; w < 200; ++w) {
      const std::size_t begin = kHeader + tables() + w * (record + 8);
      set(begin + record, XXH3_64bits_withSeed(bytes.data() + begin, record, w));
    }
    std::ofstream(file_, std::ios::binary) << bytes;
  }

  test::TemporaryFolder folder_;
  std::shared_ptr<const Space> space_;
  fs::path file_;
  std::string honest_;
};

TEST_F(Prepared, HoldsWhatWouldBeBuilt) {
  const auto prepared = PreparedNeighbourhoods::open(*space_);
  ASSERT_NE(prepared, nullptr);
  EXPECT_EQ(prepared->words(), 200U);
  const Neighbourhoods neighbourhoods(space_, Clusters::make(space_->model(), 1));
  EXPECT_TRUE(std::ranges::equal(prepared->clusters().order(), neighbourhoods.clusters().order()));
  const std::size_t size = neighbourhoods.layout().record_size();
  std::vector<std::uint64_t> record(size);
  for (const std::size_t w : {0U, 1U, 99U, 199U}) {
    const WordId word = word_id(w);
    neighbourhoods.build({&word, 1}, record);
    ASSERT_NE(prepared->record(word), nullptr);
    EXPECT_TRUE(std::equal(record.begin(), record.end(), prepared->record(word)));
  }
  EXPECT_EQ(prepared->record(word_id(200)), nullptr);
}

TEST_F(Prepared, BelongsToOneModelAndOneMetric) {
  EXPECT_EQ(PreparedNeighbourhoods::open(*Space::make(space_->shared_model(), Metric::manhattan)), nullptr);
  test::gaussian_model({.words = 300, .dim = 4, .seed = 4})
      ->save(folder_ / "o.sotto", Model::Existing::refuse);
  const auto other = Space::make(Model::open(folder_ / "o.sotto", folder_ / "cache"), Metric::euclidean);
  fs::create_directory(other->model().derived_folder());
  chmod(other->model().derived_folder().c_str(), 0700);
  fs::copy(file_, other->model().derived_folder() / file_.filename());
  EXPECT_EQ(PreparedNeighbourhoods::open(*other), nullptr);
}

TEST_F(Prepared, ADamagedByteIsNoticed) {
  const std::size_t size = fs::file_size(file_);
  for (std::size_t at = 0; at < 160; at += 3) {  // header and tables
    damage(at);
    EXPECT_EQ(PreparedNeighbourhoods::open(*space_), nullptr) << at;
    damage(at);
  }
  damage(size - 9);  // in the record of the last word
  const auto prepared = PreparedNeighbourhoods::open(*space_);
  ASSERT_NE(prepared, nullptr);
  EXPECT_EQ(prepared->record(word_id(199)), nullptr);
  EXPECT_NE(prepared->record(word_id(198)), nullptr);
}

TEST_F(Prepared, WrongCountsAndClustersWithRightChecksumsAreAbsent) {
  forge(0, honest_[0]);
  ASSERT_NE(PreparedNeighbourhoods::open(*space_), nullptr) << "the test's own checksums are wrong";
  constexpr std::size_t kModelWords = 72;
  constexpr std::size_t kWords = 80;
  constexpr std::size_t kHead = 92;
  constexpr std::size_t kClusters = 96;
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{301}, ~std::uint64_t{0}}) {
    forge(kModelWords, count);
    EXPECT_EQ(PreparedNeighbourhoods::open(*space_), nullptr) << count;
    forge(kWords, count);
    EXPECT_EQ(PreparedNeighbourhoods::open(*space_), nullptr) << count;
  }
  for (const std::uint32_t count : {0U, 1U, 257U, ~0U}) {
    forge(kHead, count);
    EXPECT_EQ(PreparedNeighbourhoods::open(*space_), nullptr) << count;
    forge(kClusters, count);
    EXPECT_EQ(PreparedNeighbourhoods::open(*space_), nullptr) << count;
  }
  const std::size_t members = kHeader + (layout().clusters() + 1) * sizeof(std::uint32_t);
  for (const std::uint32_t value : {300U, ~0U}) {
    forge(kHeader, value);  // where the first cluster begins
    EXPECT_EQ(PreparedNeighbourhoods::open(*space_), nullptr) << value;
    forge(kHeader + 4, value);
    EXPECT_EQ(PreparedNeighbourhoods::open(*space_), nullptr) << value;
    forge(members + std::size_t{4} * 7, value);
    EXPECT_EQ(PreparedNeighbourhoods::open(*space_), nullptr) << value;
  }
  std::uint32_t other = 0;
  std::memcpy(&other, honest_.data() + members, sizeof other);
  forge(members + 4, other);  // a word twice
  EXPECT_EQ(PreparedNeighbourhoods::open(*space_), nullptr);
}

TEST_F(Prepared, ValuesOutOfRangeWithRightChecksumsAreDamage) {
  constexpr std::size_t kWord = 17;
  const std::size_t head = layout().head();
  const std::size_t clusters = layout().clusters();
  const std::size_t distances = kHeader + tables() + kWord * (layout().record_size() + 1) * 8;
  const std::size_t words = distances + head * sizeof(double);
  const std::size_t nearest = words + head * sizeof(WordId);
  const std::size_t far_first = nearest + clusters * sizeof(float);
  const auto expect_damaged = [&](std::size_t at, auto value) {
    forge(at, value);
    const auto prepared = PreparedNeighbourhoods::open(*space_);
    ASSERT_NE(prepared, nullptr);
    EXPECT_EQ(prepared->record(word_id(kWord)), nullptr) << at << ": " << value;
    EXPECT_NE(prepared->record(word_id(kWord + 1)), nullptr);
  };
  for (const std::uint32_t id : {300U, ~0U}) {
    expect_damaged(words, id);
    expect_damaged(words + 4 * (head - 1), id);
  }
  for (const std::uint16_t cluster : {static_cast<std::uint16_t>(clusters), std::uint16_t{0xffff}}) {
    expect_damaged(far_first, cluster);
    expect_damaged(far_first + 2 * (clusters - 1), cluster);
  }
  std::uint16_t first = 0;
  std::memcpy(&first, honest_.data() + far_first, sizeof first);
  expect_damaged(far_first + 2, first);  // a cluster twice
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const double distance : {kNan, kInfinity, -kInfinity, -1.0}) {
    expect_damaged(distances + std::size_t{8} * 5, distance);
    expect_damaged(distances, distance);
  }
  expect_damaged(distances, 0.5);                       // no word at distance 0: a draw might never end
  expect_damaged(distances + std::size_t{8} * 5, 0.0);  // not in order
  expect_damaged(nearest, static_cast<float>(kNan));
  expect_damaged(nearest, -1.0F);
}

TEST_F(Prepared, ATruncatedFileIsAbsent) {
  for (const std::size_t size : {0U, 7U, 119U, 120U, 5000U}) {
    fs::resize_file(file_, size);
    EXPECT_EQ(PreparedNeighbourhoods::open(*space_), nullptr) << size;
  }
}

TEST_F(Prepared, AFolderThatOthersMayEnterIsNotTrusted) {
  chmod(file_.parent_path().c_str(), 0755);
  EXPECT_EQ(PreparedNeighbourhoods::open(*space_), nullptr);
  EXPECT_THROW(prepare_neighbourhoods(space_, 10, 1, [](std::size_t, std::size_t) {}), Error);
}

TEST(PreparedWithoutCache, IsNothing) {
  const auto space = Space::make(test::line_model({0, 1, 2}), Metric::euclidean);
  EXPECT_EQ(PreparedNeighbourhoods::open(*space), nullptr);
}

}  // namespace
}  // namespace sotto
