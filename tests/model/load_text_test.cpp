#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/import.h"
#include "model/model_fixtures.h"

// GloVe text, word2vec text and fastText .vec.
namespace sotto::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string bad_text(const std::string& text, const ImportOptions& options = ascii_options()) {
  return error_of(ErrorCode::bad_data, [&] { import_bytes(text, options); });
}

// `count` good rows of two dimensions.
std::string good_rows(int count) {
  std::string rows;
  for (int i = 0; i < count; ++i) rows += "canary" + std::to_string(i) + "x 0.5 " + std::to_string(i) + "\n";
  return rows;
}

TEST(GloveText, KeepsTheOrderOfTheFile) {
  const auto model = import_bytes("The 0.5 -1\nof 2 3e-2\nAND 0 0\n");
  EXPECT_THAT(words_of(*model), ElementsAre("the", "of", "and"));
  EXPECT_THAT(vector_of(*model, "the"), ElementsAre(0.5F, -1));
  EXPECT_THAT(vector_of(*model, "of"), ElementsAre(2, 3e-2F));
  EXPECT_THAT(vector_of(*model, "and"), ElementsAre(0, 0));
  EXPECT_EQ(model->origin().source, "GloVe text");
  EXPECT_EQ(model->origin().rows_read, 3);
}

TEST(GloveText, ToleratesCrLfBlankLinesAByteOrderMarkAndNoLastNewline) {
  const auto model = import_bytes("\xef\xbb\xbfthe 1 2\r\n\r\nof 3 4 \r\n\nand 5 6");
  EXPECT_THAT(words_of(*model), ElementsAre("the", "of", "and"));
  EXPECT_THAT(vector_of(*model, "and"), ElementsAre(5, 6));
  EXPECT_EQ(model->origin().rows_read, 3);
}

TEST(GloveText, WordsMayHoldSpaces) {
  ImportOptions options = ascii_options();
  options.rule = [](std::string_view raw) { return std::optional<std::string>(raw); };
  const auto model = import_bytes(". . . 1 2\nat name@domain.com 3 4\n1 1/2 5 6\nthe 7 8\n", options);
  EXPECT_THAT(words_of(*model), ElementsAre(". . .", "at name@domain.com", "1 1/2", "the"));
  EXPECT_THAT(vector_of(*model, "at name@domain.com"), ElementsAre(3, 4));
}

TEST(GloveText, DimensionIsThatOfMostLinesNotOfTheFirst) {
  // The first word is "at 3": it must not make the file one of three dimensions. A vector of another
  // length and a word that ends in a number look the same, so the row itself is dropped.
  const auto model = import_bytes("at 3 1 2\n" + good_rows(150));
  EXPECT_EQ(model->dim(), 2);
  EXPECT_EQ(model->size(), 150);
  EXPECT_EQ(model->origin().dropped_bad_vector, 1);
}

TEST(GloveText, OneLineIsAModel) {
  EXPECT_THAT(vector_of(*import_bytes("2000 5.0"), "2000"), ElementsAre(5));
}

TEST(GloveText, ReadsLinesLongerThanItsBuffer) {
  std::string vector;
  for (int i = 0; i < 60'000; ++i) vector += " 0.123456789";
  const auto model = import_bytes("wide" + vector + "\nalso" + vector + "\n");
  EXPECT_EQ(model->dim(), 60'000);
  EXPECT_EQ(model->size(), 2);
}

TEST(GloveText, RefusesVectorsOfTwoLengths) {
  EXPECT_THAT(bad_text("canary 1 2 3\ncanary2 1 2\n"), HasSubstr("line 2"));
  EXPECT_THAT(bad_text("canary 1 2\ncanary2 1 2 3\n"), HasSubstr("line 2"));
  EXPECT_THAT(bad_text("a 1 2\n\ncanary 1 2\nb 1 2 3\n"), HasSubstr("line 4"));
}

TEST(GloveText, DropsAFewBadRowsAndRefusesMany) {
  const std::string nan_row = "canary nan 1\n";
  const std::string infinite_row = "canary 1 -inf\n";
  const std::string huge_row = "canary 1 1e39\n";
  const auto model = import_bytes(good_rows(297) + nan_row + infinite_row + huge_row);
  EXPECT_EQ(model->size(), 297);
  EXPECT_EQ(model->origin().dropped_bad_vector, 3);  // exactly 1% is allowed
  EXPECT_EQ(model->origin().rows_read, 300);
  const std::string message = bad_text(good_rows(296) + nan_row + infinite_row + huge_row);
  EXPECT_THAT(message, HasSubstr("3 of 299 rows"));
  EXPECT_THAT(message, HasSubstr("line 297"));
}

TEST(GloveText, RefusesOtherTexts) {
  EXPECT_THAT(bad_text("A canary sang.\nNobody heard it.\n"), HasSubstr("not a file of vectors"));
  EXPECT_THAT(bad_text(""), HasSubstr("empty"));
  EXPECT_THAT(bad_text("\n\n \n"), HasSubstr("no row"));
  EXPECT_THAT(bad_text(std::string(40 << 20, 'x')), HasSubstr("line 1 is longer"));
}

TEST(Word2vecText, ReadsItsHeader) {
  for (const char* text : {"2 3\nthe 1 2 3\nof 4 5 6\n", "2 3 \r\nthe 1 2 3 \r\nof 4 5 6 \r\n\r\n"}) {
    const auto model = import_bytes(text);
    EXPECT_THAT(words_of(*model), ElementsAre("the", "of"));
    EXPECT_THAT(vector_of(*model, "of"), ElementsAre(4, 5, 6));
    EXPECT_EQ(model->origin().source, "word2vec text");
  }
}

TEST(Word2vecText, RefusesAHeaderThatLies) {
  EXPECT_THAT(bad_text("3 2\ncanary 1 2\nof 3 4\n"), HasSubstr("holds 2 rows, but its header says 3"));
  EXPECT_THAT(bad_text("1 2\ncanary 1 2\nof 3 4\n"), HasSubstr("header says 1"));
  EXPECT_THAT(bad_text("18446744073709551615 2\ncanary 1 2\n"), HasSubstr("truncated"));
  EXPECT_THAT(bad_text("1 18446744073709551615\ncanary 1 2\n"), HasSubstr("dimensions"));
  EXPECT_THAT(bad_text("1 0\ncanary\n"), HasSubstr("dimensions"));
  EXPECT_THAT(bad_text("2 3\ncanary 1 2\nof 3 4\n"), HasSubstr("line 2"));  // another length than it says
}

TEST(Word2vecText, CountsItsRowsAlsoBeyondTheLimit) {
  ImportOptions options = ascii_options();
  options.limit = 1;
  EXPECT_EQ(import_bytes("3 1\na 1\nb 2\nc 3\n", options)->origin().dropped_by_request, 2);
  bad_text("4 1\na 1\nb 2\ncanary 3\n", options);
}

TEST(Word2vecText, NeedsItsHeaderWhenForced) {
  ImportOptions options = ascii_options();
  options.format = VectorFormat::word2vec_text;
  EXPECT_THAT(bad_text("canary 1 2\nof 3 4\n", options), HasSubstr("line 1"));
  bad_text("", options);
}

}  // namespace
}  // namespace sotto::test
