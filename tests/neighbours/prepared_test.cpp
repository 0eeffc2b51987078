#include "neighbours/prepared.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

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
  }
  // With byte `at` changed.
  void damage(std::size_t at) const {
    std::string bytes = testing::contents(file_);
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    std::ofstream(file_, std::ios::binary) << bytes;
  }

  testing::TemporaryFolder folder_;
  std::shared_ptr<const Space> space_;
  fs::path file_;
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
