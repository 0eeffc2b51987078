#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "model/import.h"
#include "model/model_fixtures.h"

namespace sotto::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string record(const std::string& word, const std::vector<float>& vector, const std::string& end = "") {
  std::string bytes = word + ' ';
  bytes.resize(bytes.size() + vector.size() * sizeof(float));
  std::memcpy(bytes.data() + word.size() + 1, vector.data(), vector.size() * sizeof(float));
  return bytes + end;
}

ImportOptions as_word2vec() {
  ImportOptions options = ascii_options();
  options.format = VectorFormat::word2vec_binary;
  return options;
}

TEST(Word2vecBinary, ReadsRecordsWithAndWithoutNewlines) {
  for (const std::string end : {"", "\n"}) {
    const auto model =
        import_bytes("2 3\n" + record("The", {1, -2, 0.1F}, end) + record("of", {4, 5, 6}, end));
    EXPECT_THAT(words_of(*model), ElementsAre("the", "of"));
    EXPECT_THAT(vector_of(*model, "the"), ElementsAre(1, -2, 0.1F));
    EXPECT_THAT(vector_of(*model, "of"), ElementsAre(4, 5, 6));
    EXPECT_EQ(model->origin().source, "word2vec binary");
  }
}

TEST(Word2vecBinary, VectorsMayHoldSpacesAndNewlines) {
  float spaces = 0;
  float newlines = 0;
  std::memcpy(&spaces, "    ", 4);
  std::memcpy(&newlines, "\n\n\n\n", 4);
  const auto model = import_bytes(
      "2 2\n" + record("the", {newlines, spaces}) + record("of", {spaces, newlines}), as_word2vec());
  EXPECT_THAT(vector_of(*model, "the"), ElementsAre(newlines, spaces));
  EXPECT_THAT(vector_of(*model, "of"), ElementsAre(spaces, newlines));
}

TEST(Word2vecBinary, IsRefusedAtEveryShorterLength) {
  const std::string file =
      "3 2\n" + record("canary", {1, 2}, "\n") + record("of", {3, 4}, "\n") + record("and", {5, 6});
  EXPECT_EQ(import_bytes(file, as_word2vec())->size(), 3);
  for (std::size_t length = 0; length < file.size(); ++length) {
    error_of(ErrorCode::bad_data, [&] { import_bytes(file.substr(0, length), as_word2vec()); });
  }
}

TEST(Word2vecBinary, RefusesAHeaderThatLies) {
  const std::string row = record("canary", {1, 2});
  const auto refusal = [](const std::string& file) {
    return error_of(ErrorCode::bad_data, [&] { import_bytes(file, as_word2vec()); });
  };
  EXPECT_THAT(refusal("2 2\n" + row), HasSubstr("holds 1 rows, but its header says 2"));
  EXPECT_THAT(refusal("1 2\n" + row + row), HasSubstr("bytes follow"));
  EXPECT_THAT(refusal("99999999999999 2\n" + row), HasSubstr("truncated"));
  EXPECT_THAT(refusal("1 99999999999999\n" + row), HasSubstr("dimensions"));
  EXPECT_THAT(refusal("1 60000\n" + row), HasSubstr("truncated"));
  EXPECT_THAT(refusal("0 2\n"), HasSubstr("no row"));
  EXPECT_THAT(refusal("1 2\n" + std::string(9000, 'x') + row), HasSubstr("truncated or damaged"));
}

TEST(Word2vecBinary, DropsNanAndNamesTheRecordIfThereAreMany) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::string rows;
  for (int i = 0; i < 99; ++i) rows += record("w" + std::to_string(i), {1, 2});
  const auto model = import_bytes("100 2\n" + rows + record("canary", {nan, 1}));
  EXPECT_EQ(model->origin().dropped_bad_vector, 1);
  const std::string message = error_of(ErrorCode::bad_data, [&] {
    import_bytes("2 2\n" + record("a", {1, 2}) + record("canary", {nan, 1}));
  });
  EXPECT_THAT(message, HasSubstr("record 2"));
}

TEST(Word2vecBinary, SkipsBeyondTheLimit) {
  ImportOptions options = as_word2vec();
  options.limit = 1;
  const auto model = import_bytes("3 1\n" + record("a", {1}) + record("b", {2}) + record("c", {3}), options);
  EXPECT_THAT(words_of(*model), ElementsAre("a"));
  EXPECT_EQ(model->origin().dropped_by_request, 2);
}

}  // namespace
}  // namespace sotto::test
