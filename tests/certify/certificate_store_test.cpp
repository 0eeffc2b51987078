#include "certify/certificate_store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "support/models.h"

namespace sotto {
namespace {

namespace fs = std::filesystem;

std::string read_all(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write_all(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

class CertificateStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("sotto-store-" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    model_ = reopened(*test::gaussian_model({.words = 400, .dim = 5}), "m.sotto");
    const auto found = build_mechanism("tem", model_, {{"epsilon", "2"}, {"calibration", "exact"}}, {});
    realised_ = found.certificate.value().realised_epsilon;
    request_ = found.mechanism.info->law_request(*model_, found.mechanism.parameters);
    store_.emplace(found.mechanism.space, request_);
    ASSERT_TRUE(fs::exists(store_->file()));
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::shared_ptr<const Model> reopened(const Model& model, const std::string& name) {
    model.save(folder_ / name, Model::Existing::replace);
    return Model::open(folder_ / name, folder_ / "cache");
  }
  bool loads() { return store_->load({}).has_value(); }
  // With a checksum that fits, as a forger would write it.
  void rewrite(std::string body) {
    const std::uint64_t checksum = XXH3_64bits(body.data(), body.size());
    body.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
    write_all(store_->file(), body);
  }
  std::string body() {
    const std::string bytes = read_all(store_->file());
    return bytes.substr(0, bytes.size() - 8);
  }
  std::string replaced(const std::string& from, const std::string& to) {
    std::string text = body();
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }

  fs::path folder_;
  std::shared_ptr<const Model> model_;
  LawRequest request_;
  std::optional<CertificateStore> store_;
  double realised_ = 0;
};

TEST_F(CertificateStoreTest, WhatWasStoredIsReadBack) {
  const auto read = store_->load({}).value();
  EXPECT_EQ(read.certified.certificate.realised_epsilon, realised_);
  EXPECT_EQ(read.certified.certificate.additive_loss, 1e-9);
  EXPECT_EQ(read.certified.certificate.worst_pairs.size(), 10U);
  struct stat status {};
  ASSERT_EQ(stat(store_->file().parent_path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
}

TEST_F(CertificateStoreTest, DamageIsRefused) {
  const std::string bytes = read_all(store_->file());
  for (std::size_t at = 0; at < bytes.size(); at += 97) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    write_all(store_->file(), damaged);
    EXPECT_FALSE(loads()) << at;
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}, bytes.size() / 2, bytes.size() - 1}) {
    write_all(store_->file(), bytes.substr(0, size));
    EXPECT_FALSE(loads()) << size;
  }
  write_all(store_->file(), bytes);
  EXPECT_TRUE(loads());
}

TEST_F(CertificateStoreTest, ForgedFiguresAreRefused) {
  const std::string honest = body();
  const auto forge = [&](const std::string& from, const std::string& to) {
    rewrite(replaced(from, to));
    EXPECT_FALSE(loads()) << from << " -> " << to;
    rewrite(honest);
  };
  forge("\"epsilon\":\"2\"", "\"epsilon\":\"1\"");
  forge("\"calibration\":\"exact\"", "\"calibration\":\"paper\"");
  forge("\"engine\":2", "\"engine\":1");
  forge("\"schema\":\"sotto.certificate/2\"", "\"schema\":\"sotto.certificate/1\"");
  forge("\"realised_epsilon\":", "\"realised_epsilon\":0.1,\"x\":");
  forge("\"additive_loss\":", "\"additive_loss\":0,\"x\":");
  forge("\"additive_loss\":", "\"additive_loss\":100,\"x\":");
  forge("\"metric\":\"euclidean\"", "\"metric\":\"angular\"");
  forge("\"slope\":\"1", "\"slope\":\"2");
  forge("\"largest_loss\":", "\"largest_loss\":0.1,\"x\":");
  forge("\"worst_pairs\":[[", "\"worst_pairs\":[[999999,1,0.1,0.1,0.1],[");
  forge("\"worst_pairs\":[[", "\"worst_pairs\":[[0,1,0.1,0.1,0.1],[");
  EXPECT_TRUE(loads());
}

// The whole list of worst pairs made a little milder, and one normaliser changed: the checksum fits.
TEST_F(CertificateStoreTest, ForgedNormalisersAreRefused) {
  std::string text = body();
  const std::size_t values = text.find('\n') + 1;
  double log = 0;
  std::memcpy(&log, text.data() + values + std::size_t{8} * 123, 8);
  log += 1e-3;
  std::memcpy(text.data() + values + std::size_t{8} * 123, &log, 8);
  rewrite(text);
  EXPECT_FALSE(loads());
}

// What is no word's number is refused, whatever its form; the checksum fits.
TEST_F(CertificateStoreTest, WordsThatDoNotExistAreRefused) {
  const std::string honest = body();
  for (const char* const list : {"worst_pairs", "bands"}) {
    for (const char* const id :
         {"400", "-1", "4294967296", "18446744073709551615", "1e30", "0.5", "\"0\"", "null", "[]"}) {
      for (const char* const pair : {"[%s,1,0.1,0.1,0.1],", "[1,%s,0.1,0.1,0.1],"}) {
        std::string text = pair;
        text.replace(text.find("%s"), 2, id);
        // Not the first pair: that one is recomputed as a whole.
        std::string forged = honest;
        const std::size_t second = forged.find("],[", forged.find("\"" + std::string(list) + "\":[[")) + 2;
        rewrite(forged.insert(second, text));
        EXPECT_FALSE(loads()) << list << " " << text;
      }
    }
  }
  rewrite(honest);
  EXPECT_TRUE(loads());
}

TEST_F(CertificateStoreTest, SharesAndDistancesThatCannotBeAreRefused) {
  const std::string honest = body();
  for (const char* const field :
       {"mean_unchanged", "smallest_distance", "largest_distance", "median_nearest"}) {
    for (const char* const value : {"-0.5", "\"0.5\"", "null"}) {
      rewrite(honest);
      rewrite(
          replaced("\"" + std::string(field) + "\":", "\"" + std::string(field) + "\":" + value + ",\"x\":"));
      EXPECT_FALSE(loads()) << field << " " << value;
    }
  }
  rewrite(honest);
  rewrite(replaced("\"mean_unchanged\":", "\"mean_unchanged\":1.5,\"x\":"));
  EXPECT_FALSE(loads());
}

TEST_F(CertificateStoreTest, AStateWithWordsThatDoNotExistIsNone) {
  CalibrationState state;
  state.slope = 1.25;
  state.witnesses = {{.first = word_id(1), .second = word_id(2), .distance = 1, .loss = 1, .epsilon = 1}};
  store_->save_state(state);
  EXPECT_EQ(store_->load_state().witnesses.size(), 1U);
  fs::path file = store_->file();
  file += ".partial";
  const std::string bytes = read_all(file);
  for (const char* const id : {"400", "-1", "1e30", "0.5"}) {
    std::string text = bytes.substr(0, bytes.size() - 8);
    const std::size_t at = text.find("[[1,2") + 2;
    text.replace(at, 1, id);
    const std::uint64_t checksum = XXH3_64bits(text.data(), text.size());
    text.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
    write_all(file, text);
    EXPECT_EQ(store_->load_state().slope, 0) << id;
  }
}

TEST_F(CertificateStoreTest, AForeignOneIsRefused) {
  const auto other = reopened(*test::gaussian_model({.words = 400, .dim = 5, .seed = 2}), "other.sotto");
  const CertificateStore theirs(Space::make(other, Metric::euclidean), request_);
  fs::create_directories(theirs.file().parent_path());
  fs::permissions(theirs.file().parent_path(), fs::perms::owner_all);
  fs::copy_file(store_->file(), theirs.file());
  EXPECT_FALSE(theirs.load({}).has_value());
}

TEST_F(CertificateStoreTest, AFolderThatOthersMayWriteToIsIgnored) {
  fs::permissions(store_->file().parent_path(), fs::perms::owner_all | fs::perms::group_write);
  EXPECT_FALSE(loads());
}

TEST_F(CertificateStoreTest, StateIsOnlyAHint) {
  CalibrationState state;
  state.slope = 1.25;
  state.weights.assign(400, 0.5);
  store_->save_state(state);
  EXPECT_EQ(store_->load_state().slope, 1.25);
  EXPECT_EQ(store_->load_state().weights.size(), 400U);
  store_->forget_state();
  EXPECT_EQ(store_->load_state().slope, 0);
}

TEST_F(CertificateStoreTest, ARecomputedOneTakesThePlaceOfADamagedOne) {
  write_all(store_->file(), "nonsense");
  const auto again = build_mechanism("tem", model_, {{"epsilon", "2"}, {"calibration", "exact"}}, {});
  EXPECT_EQ(again.certificate.value().realised_epsilon, realised_);
  EXPECT_TRUE(loads());
}

}  // namespace
}  // namespace sotto
