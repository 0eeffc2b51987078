#include "api/vectors.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/npy.h"
#include "core/sha256.h"
#include "core/temporary_folder.h"
#include "sotto/byte_stream.h"
#include "sotto/error.h"
#include "support/models.h"
#include "text/vector_rows.h"

namespace sotto::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::size_t kColumns = 6;

Mechanism privemb(VectorInput input = {.dim = kColumns}) {
  return build_vector_mechanism("privemb", input, {{"epsilon", "5"}, {"dimension", "2"}});
}

// More than one block of 512 rows.
std::vector<double> rows_of(std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count * kColumns; ++i) values.push_back(std::sin(static_cast<double>(i)));
  return values;
}

class Files : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }
  static std::string read(const std::filesystem::path& path) {
    std::ifstream bytes(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(bytes), std::istreambuf_iterator<char>()};
  }

  sotto::test::TemporaryFolder folder_;
};

std::string npy(const std::vector<double>& values, std::size_t columns) {
  const NpyShape shape{.rows = values.size() / columns, .cols = columns};
  std::string bytes = npy_header(shape);
  append_npy_values(values, shape.type, bytes);
  return bytes;
}

// The same seed gives the same vectors in memory and in a file, with any number of threads.
TEST_F(Files, TheArrayAndTheFileAreOneRelease) {
  const std::vector<double> values = rows_of(3000);
  const std::filesystem::path input = write("in.npy", npy(values, kColumns));
  const VectorRelease in_memory({.mechanism = privemb(), .seed_not_private = 3});
  const std::vector<double> released =
      in_memory.array({.values = values, .columns = kColumns}, {.threads = 1});
  EXPECT_EQ(in_memory.array({.values = values, .columns = kColumns}, {.threads = 4}), released);
  for (const unsigned threads : {1U, 3U}) {
    const OpenedVectors opened = open_vectors(input, "", [](VectorInput::Domain) { return nullptr; });
    VectorRelease release({.mechanism = privemb(opened.input), .seed_not_private = 3});
    release.file(*opened.rows, folder_ / "out.npy", Overwrite::replace, {.threads = threads})->finish();
    EXPECT_EQ(read(folder_ / "out.npy"), npy(released, 2)) << threads;
    EXPECT_EQ(release.answer().facts.rows, 3000U);
  }
  const VectorRelease fresh({.mechanism = privemb()});
  EXPECT_NE(fresh.array({.values = values, .columns = kColumns}, {}),
            fresh.array({.values = values, .columns = kColumns}, {}));
}

TEST_F(Files, WordsAreReleasedWithAForecast) {
  const auto model = test::gaussian_model({.words = 20, .dim = kColumns});
  const std::filesystem::path input = write("words.txt", "w1\nnobody\nw2\n");
  OpenedVectors opened = open_vectors(input, "w3", [&](VectorInput::Domain) { return model; });
  VectorRelease release({.mechanism = privemb(opened.input), .model = model, .words = opened.words});
  EXPECT_TRUE(release.promise({}).strength());
  release.file(*opened.rows, folder_ / "out.txt", Overwrite::refuse, {})->finish();
  const VectorsAnswer& answer = release.answer();
  EXPECT_EQ(answer.facts.words->unknown, 1U);
  EXPECT_EQ(answer.facts.words->anchor, "w3");
  EXPECT_EQ(answer.facts.number_type, "float32");
  const std::string written = read(folder_ / "out.txt");
  EXPECT_EQ(std::ranges::count(written, '\n'), 3);
  EXPECT_EQ(answer.facts.released->at(0).sha256, sha256_of_file(folder_ / "out.txt"));
  EXPECT_EQ(answer.facts.released->at(0).name, "out.txt");
}

TEST(VectorRelease, SeededMeansNotPrivateEverywhere) {
  for (const std::optional<std::uint64_t> seed :
       {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(0)}) {
    VectorRelease release({.mechanism = privemb(), .seed_not_private = seed});
    const VectorsAnswer& answer = release.promise({});
    const std::string status = seed ? "not_private" : "proven";
    EXPECT_EQ(status_name(answer.status()), status);
    EXPECT_EQ(to_json(answer)["status"], status);
    const Json report = Json::parse(answer.report());
    EXPECT_EQ(report["status"], status);
    EXPECT_EQ(report["status_reasons"].size(), seed ? 1U : 0U);
    EXPECT_EQ(report["guarantee"] == report["mechanism_guarantee"], !seed);
  }
}

TEST(VectorRelease, TheJsonHasTheKeysOfTheProgram) {
  VectorRelease release({.mechanism = privemb()});
  const Json json = to_json(release.promise({}));
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_THAT(keys, ElementsAre("schema", "sotto_version", "mechanism", "parameters", "nominal_epsilon",
                                "status", "strength", "guarantee", "facts", "rows", "number_type", "released",
                                "spent", "seconds", "report"));
  EXPECT_EQ(json["schema"], "sotto.vectors/1");
  EXPECT_TRUE(json["strength"].is_null());  // free vectors are no words
}

TEST(VectorRelease, BadRowsAreNamed) {
  const VectorRelease release({.mechanism = privemb()});
  std::vector<double> values = rows_of(1000);
  values[700 * kColumns + 1] = NAN;
  values[900 * kColumns] = INFINITY;
  try {
    (void)release.array({.values = values, .columns = kColumns}, {});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_data);
    EXPECT_THAT(error.what(), StartsWith("row 700 (counted from 0) holds NaN or infinity"));
  }
  try {
    (void)release.array({.values = values, .columns = kColumns + 1}, {});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_data);
    EXPECT_THAT(error.what(), HasSubstr("7 dimensions; this mechanism was built for 6"));
  }
}

// 1,100 rows with two entries each, some columns in disorder: more than one block.
struct SparseRows {
  std::vector<std::int64_t> starts = {0};
  std::vector<std::int64_t> places = {};
  std::vector<double> values = {};
  std::vector<double> dense = {};
  SparseArray array() const {
    return {.starts = starts, .places = places, .values = values, .columns = kColumns};
  }
};
SparseRows sparse_rows() {
  SparseRows out;
  for (std::size_t i = 0; i < 1100; ++i) {
    out.dense.resize((i + 1) * kColumns, 0.0);
    for (const std::size_t column : {(i + 3) % kColumns, i % kColumns}) {
      const double value = std::sin(static_cast<double>(3 * i + column));
      out.places.push_back(static_cast<std::int64_t>(column));
      out.values.push_back(value);
      out.dense[i * kColumns + column] = value;
    }
    out.starts.push_back(static_cast<std::int64_t>(out.places.size()));
  }
  return out;
}

// For each projection: the bits of a seeded release do not depend on how the matrix is stored.
TEST(Vectors, OfASparseMatrixAreThoseOfTheDenseOne) {
  const SparseRows rows = sparse_rows();
  for (const char* projection : {"sparse", "gaussian", "orthonormal"}) {
    const VectorRelease release(
        {.mechanism = build_vector_mechanism(
             "privemb", {.dim = kColumns},
             {{"epsilon", "5"}, {"dimension", "1"}, {"projection", projection}, {"clip", "0.7"}}),
         .seed_not_private = 4});
    EXPECT_EQ(release.sparse_array(rows.array(), {.threads = 3}),
              release.array({.values = rows.dense, .columns = kColumns}, {.threads = 1}));
  }
}

TEST(Vectors, OfASparseMatrixThatDoesNotFitTogetherAreRefused) {
  const VectorRelease release({.mechanism = privemb()});
  const auto refused = [&](const std::function<void(SparseRows&)>& damage) {
    SparseRows rows = sparse_rows();
    damage(rows);
    try {
      (void)release.sparse_array(rows.array(), {});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_data);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refused([](SparseRows& rows) { rows.places[9] = kColumns; }), HasSubstr("fit together"));
  EXPECT_THAT(refused([](SparseRows& rows) { rows.places[9] = -1; }), HasSubstr("fit together"));
  EXPECT_THAT(refused([](SparseRows& rows) { rows.starts[9] = 5000; }), HasSubstr("fit together"));
  EXPECT_THAT(refused([](SparseRows& rows) { rows.starts.clear(); }), HasSubstr("fit together"));
  EXPECT_THAT(refused([](SparseRows& rows) { rows.values.pop_back(); }), HasSubstr("fit together"));
  EXPECT_THAT(refused([](SparseRows& rows) { rows.values[1999] = std::nan(""); }), HasSubstr("row 999 "));
}

}  // namespace
}  // namespace sotto::api
