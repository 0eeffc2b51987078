#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/npy.h"
#include "model/import.h"
#include "model/model_fixtures.h"

namespace sotto::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string array(const NpyShape& shape, const std::vector<double>& values) {
  std::string bytes = npy_header(shape);
  append_npy_values(values, shape.type, bytes);
  return bytes;
}
const NpyShape kThreeByTwo = {3, 2, NpyShape::Type::float64};

class NpyImport : public ::testing::Test {
 protected:
  std::shared_ptr<const Model> import(const std::string& bytes, const std::string& words,
                                      VectorFormat format = VectorFormat::detect) {
    put(folder_ / "words.txt", words);
    ImportOptions options = ascii_options();
    options.format = format;
    options.limit = limit_;
    options.words = folder_ / "words.txt";
    return import_bytes(bytes, options);
  }
  std::string refusal(const std::string& bytes, const std::string& words) {
    return error_of(ErrorCode::bad_data, [&] { import(bytes, words); });
  }

  TemporaryFolder folder_;
  std::size_t limit_ = 0;
};

TEST_F(NpyImport, TakesRowsInTheOrderOfTheWords) {
  const std::string bytes = array(kThreeByTwo, {1, 2, 0.1, 4, 5, 6});
  for (const std::string words : {"The\nof\nend\n", "The\r\nof\r\nend", "\xef\xbb\xbfThe\nof\nend"}) {
    const auto model = import(bytes, words);
    EXPECT_THAT(words_of(*model), ElementsAre("the", "of", "end"));
    EXPECT_THAT(vector_of(*model, "the"), ElementsAre(1, 2));
    EXPECT_THAT(vector_of(*model, "of"), ElementsAre(0.1F, 4));
    EXPECT_THAT(vector_of(*model, "end"), ElementsAre(5, 6));
    EXPECT_EQ(model->origin().source, "NumPy .npy");
    EXPECT_EQ(import(bytes, gzip(words), VectorFormat::npy)->identity(), model->identity());
  }
}

TEST_F(NpyImport, TheTypeOfTheArrayDoesNotMatter) {
  const std::vector<double> values = {1, 2, 0.1, 4, 5, 6};
  const auto wide = import(array(kThreeByTwo, values), "a\nb\nc\n");
  const auto narrow = import(array({3, 2, NpyShape::Type::float32}, values), "a\nb\nc\n");
  EXPECT_EQ(wide->identity(), narrow->identity());
}

TEST_F(NpyImport, NumbersOfLinesAndRowsMustAgree) {
  const std::string bytes = array(kThreeByTwo, {1, 2, 3, 4, 5, 6});
  for (const auto& [words, lines] : {std::pair("", "0 lines"), std::pair("canary\nof\n", "2 lines"),
                                     std::pair("canary\nof\nb\nc\n", "4 lines")}) {
    EXPECT_THAT(refusal(bytes, words), AllOf(HasSubstr(lines), HasSubstr("3 rows"), HasSubstr("words.txt")));
  }
}

TEST_F(NpyImport, AnEmptyLineIsARowWithoutAWord) {
  const auto model = import(array(kThreeByTwo, {1, 2, 3, 4, 5, 6}), "a\n\nc\n");
  EXPECT_THAT(words_of(*model), ElementsAre("a", "c"));
  EXPECT_THAT(vector_of(*model, "c"), ElementsAre(5, 6));
  EXPECT_EQ(model->origin().dropped_not_a_word, 1);
}

TEST_F(NpyImport, TheWordListIsForArraysOnly) {
  put(folder_ / "words.txt", "canary\n");
  ImportOptions options = ascii_options();
  options.words = folder_ / "words.txt";
  EXPECT_THAT(error_of(ErrorCode::usage, [&] { import_bytes("the 1 2\nof 3 4\n", options); }),
              AllOf(HasSubstr("`words`"), HasSubstr("GloVe text")));
  const std::string bytes = array(kThreeByTwo, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(error_of(ErrorCode::usage, [&] { import_bytes(bytes); }), HasSubstr("give `words`"));
  options.words = folder_ / "absent.txt";
  error_of(ErrorCode::input_output, [&] { import_bytes(bytes, options); });
}

TEST_F(NpyImport, BadVectorsAreNamedByRow) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refusal(array(kThreeByTwo, {1, 2, 3, nan, 5, 6}), "a\ncanary\nc\n"), HasSubstr("row 2"));
  // Finite in the file, infinite in a model.
  EXPECT_THAT(refusal(array(kThreeByTwo, {1, 2, 3, 4, 5, 1e300}), "a\nb\ncanary\n"), HasSubstr("row 3"));
}

TEST_F(NpyImport, ReadsToTheEndBeyondTheLimit) {
  limit_ = 1;
  const std::string bytes = array(kThreeByTwo, {1, 2, 3, 4, 5, 6});
  const auto model = import(bytes, "a\nb\nc\n");
  EXPECT_THAT(words_of(*model), ElementsAre("a"));
  EXPECT_EQ(model->origin().dropped_by_request, 2);
  EXPECT_THAT(refusal(bytes.substr(0, bytes.size() - 1), "a\nb\nc\n"), HasSubstr("ends after 2"));
}

TEST_F(NpyImport, IsRefusedAtEveryShorterLength) {
  const std::string bytes = array({2, 2, NpyShape::Type::float32}, {1, 2, 3, 4});
  EXPECT_EQ(import(bytes, "a\nb\n", VectorFormat::npy)->size(), 2);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    error_of(ErrorCode::bad_data, [&] { import(bytes.substr(0, length), "a\nb\n", VectorFormat::npy); });
  }
}

TEST_F(NpyImport, RefusesMoreDimensionsThanAModelMayHave) {
  EXPECT_THAT(refusal(npy_header({1, 65537, NpyShape::Type::float32}), "canary\n"),
              HasSubstr("65537 dimensions"));
  EXPECT_THAT(refusal(npy_header({0, 2, NpyShape::Type::float32}), ""), HasSubstr("no row"));
}

}  // namespace
}  // namespace sotto::test
