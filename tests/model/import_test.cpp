#include "model/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "model/model_fixtures.h"

namespace sotto::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kGlove[] =
    "The 1 2\nof 3 4\nthe 5 6\nx-ray 7 8\ntwo words 9 9\nOF 1 1\ncaf\xc3\xa9 2 2\nend 3 3\n";

void expect_all_rows_counted(const Model& model) {
  const ModelOrigin& origin = model.origin();
  EXPECT_EQ(origin.rows_read, model.size() + origin.dropped_not_a_word + origin.dropped_collision +
                                  origin.dropped_bad_vector + origin.dropped_by_request);
}

TEST(Import, FirstOfACollisionWinsAndDropsAreCounted) {
  ImportOptions options = ascii_options();
  options.name = "small";
  options.licence = "none";
  const auto model = import_bytes(kGlove, options);
  EXPECT_THAT(words_of(*model), ElementsAre("the", "of", "x-ray", "caf\xc3\xa9", "end"));
  EXPECT_THAT(vector_of(*model, "the"), ElementsAre(1, 2));
  EXPECT_EQ(model->origin().rows_read, 8);
  EXPECT_EQ(model->origin().dropped_collision, 2);
  EXPECT_EQ(model->origin().dropped_not_a_word, 1);
  EXPECT_EQ(model->origin().dropped_by_request, 0);
  EXPECT_EQ(model->origin().name, "small");
  EXPECT_EQ(model->origin().licence, "none");
}

TEST(Import, LimitCountsKeptWords) {
  ImportOptions options = ascii_options();
  options.limit = 3;
  const auto model = import_bytes(kGlove, options);
  EXPECT_THAT(words_of(*model), ElementsAre("the", "of", "x-ray"));
  EXPECT_EQ(model->origin().dropped_by_request, 4);
  expect_all_rows_counted(*model);
}

TEST(Import, VocabularyAndLettersOnly) {
  ImportOptions options = ascii_options();
  options.vocabulary = {"end", "of", "absent"};
  auto model = import_bytes(kGlove, options);
  EXPECT_THAT(words_of(*model), ElementsAre("of", "end"));
  expect_all_rows_counted(*model);
  options.vocabulary.clear();
  options.alphabetic_only = true;
  model = import_bytes(kGlove, options);
  EXPECT_THAT(words_of(*model), ElementsAre("the", "of", "caf\xc3\xa9", "end"));
  EXPECT_EQ(model->origin().dropped_by_request, 1);
  expect_all_rows_counted(*model);
}

TEST(Import, NothingKeptIsRefusedWithTheReasons) {
  ImportOptions options = ascii_options();
  options.vocabulary = {"absent"};
  const std::string message =
      error_of(ErrorCode::bad_data, [&] { import_bytes("canary 1\ntwo words 2\n", options); });
  EXPECT_THAT(message, HasSubstr("none of its 2 rows"));
  EXPECT_THAT(message, HasSubstr("1 were excluded by the request"));
}

TEST(Import, WordsThatAModelCannotHoldAreDroppedBeforeTheRule) {
  ImportOptions options = ascii_options();
  bool saw_bad_utf8 = false;
  options.rule = [&](std::string_view raw) {
    saw_bad_utf8 = saw_bad_utf8 || raw == "\xff";
    return std::optional<std::string>(raw);
  };
  const auto model = import_bytes("\xff 1 2\n\x1b[2J 1 2\n 1 2\nthe 1 2\nb\xc2\x9b 1 2\n", options);
  EXPECT_THAT(words_of(*model), ElementsAre("the"));
  EXPECT_EQ(model->origin().dropped_not_a_word, 4);
  EXPECT_FALSE(saw_bad_utf8);
}

TEST(Import, EveryFormatAlsoGzippedAndFromAFile) {
  const float two[] = {0.5F, 2.0F};
  std::string binary = "1 2\nthe ........";
  std::memcpy(binary.data() + 8, two, 8);
  const TemporaryFolder folder;
  for (const std::string& file :
       {std::string("the 0.5 2\nof 1 1\n"), std::string("1 2\nthe 0.5 2\n"), binary,
        std::string(R"({"dimensions":2,"words":["the"],"vectors":{"the":[0.5,2,1,0]}})")}) {
    put(folder / "plain", file);
    put(folder / "packed", gzip(file));
    const auto plain = import_model(folder / "plain", ascii_options());
    const auto packed = import_model(folder / "packed", ascii_options());
    EXPECT_THAT(vector_of(*plain, "the"), ElementsAre(0.5F, 2));
    EXPECT_EQ(plain->identity(), packed->identity());
    EXPECT_EQ(plain->origin().source, packed->origin().source);
    put(folder / "packed", gzip(file).substr(0, gzip(file).size() - 5));
    error_of(ErrorCode::bad_data, [&] { import_model(folder / "packed", ascii_options()); });
  }
  error_of(ErrorCode::input_output, [&] { import_model(folder / "absent", ascii_options()); });
}

TEST(Import, DetectsByContent) {
  const auto source = [](const std::string& bytes) { return import_bytes(bytes)->origin().source; };
  EXPECT_EQ(source("{ 1 2\nthe 1 2\n"), "GloVe text");  // GloVe has the word "{"
  EXPECT_EQ(source("3 1 2\n4 1 2\n"), "GloVe text");
  EXPECT_EQ(source("2 2\n\xe9t\xe9 1 2\nthe 2 3\n"), "word2vec text");  // Latin-1
}

TEST(Import, SaysWhatForeignFilesAre) {
  const auto refusal = [](const std::string& bytes) {
    return error_of(ErrorCode::bad_data, [&] { import_bytes(bytes + "canary 1 2\n"); });
  };
  EXPECT_THAT(refusal(file_of(*Model::from_words({"a"}, {1}, 1))), HasSubstr(".sotto model already"));
  EXPECT_THAT(refusal("PK\x03\x04"), HasSubstr("unzip"));
  EXPECT_THAT(refusal("\xfd"
                      "7zXZ"),
              HasSubstr("unxz"));
}

TEST(Import, FormatNamesAreParsed) {
  EXPECT_EQ(parse_vector_format("detect"), VectorFormat::detect);
  EXPECT_EQ(parse_vector_format("glove"), VectorFormat::glove_text);
  EXPECT_EQ(parse_vector_format("word2vec"), VectorFormat::word2vec_text);
  EXPECT_EQ(parse_vector_format("word2vec-binary"), VectorFormat::word2vec_binary);
  EXPECT_EQ(parse_vector_format("fasttext"), VectorFormat::fasttext_bin);
  EXPECT_EQ(parse_vector_format("npy"), VectorFormat::npy);
  EXPECT_EQ(parse_vector_format("npm-json"), VectorFormat::npm_json);
  EXPECT_THAT(error_of(ErrorCode::usage, [] { parse_vector_format("onnx"); }), HasSubstr("glove, word2vec"));
}

TEST(Subset, TakesTheFirstAlphabeticWords) {
  const auto model = import_bytes(kGlove);
  const auto subset = subset_alphabetic(*model, 3, "sub");
  EXPECT_THAT(words_of(*subset), ElementsAre("the", "of", "caf\xc3\xa9"));
  EXPECT_THAT(vector_of(*subset, "caf\xc3\xa9"), ElementsAre(2, 2));
  EXPECT_EQ(subset->origin().name, "sub");
  EXPECT_EQ(subset->origin().source, "GloVe text");
  expect_all_rows_counted(*subset);
  EXPECT_EQ(subset_alphabetic(*model, 100, "sub")->size(), 4);
  error_of(ErrorCode::bad_data, [] { subset_alphabetic(*Model::from_words({"1"}, {1}, 1), 5, "none"); });
}

TEST(Import, RealGloveFiles) {
  const std::filesystem::path folder = SOTTO_SOURCE_DIR "/../shared/data/embeddings";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no shared data here";
  const auto small = import_model(folder / "glove.6B.300d_top503.txt.gz", ascii_options());
  EXPECT_EQ(small->dim(), 300);
  EXPECT_EQ(small->origin().rows_read, 503);
  EXPECT_EQ(small->size(), 503);
  EXPECT_EQ(vector_of(*small, "the")[0], 0.04656F);
  const auto cased = import_model(folder / "glove.840B.300d_top256.txt.gz", ascii_options());
  EXPECT_EQ(cased->dim(), 300);
  EXPECT_EQ(cased->origin().rows_read, 256);
  EXPECT_EQ(cased->origin().dropped_bad_vector, 0);
  EXPECT_GT(cased->origin().dropped_collision, 0);  // it has both "the" and "The"
  expect_all_rows_counted(*cased);
}

}  // namespace
}  // namespace sotto::test
