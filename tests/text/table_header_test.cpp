#include "text/table_header.h"

#include <gmock/gmock.h>

#include "text/format_support.h"

namespace sotto {
namespace {

using test::fault_of_format;
using test::run_format;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Cells = std::vector<std::string>;

std::string why(const Cells& cells, const std::vector<std::size_t>& chosen = {0}) {
  return why_row_looks_like_data(cells, chosen);
}

TEST(TableHeader, RealHeadersPass) {
  for (const Cells& cells : std::vector<Cells>{{"text", "id"},
                                               {"Review Text", "Clothing ID", "Age"},
                                               {"customer comment (English)", "stars"},
                                               {"", "text", "label"},
                                               {"Comments?", "q1", "Q2.1"},
                                               {"\u8bc4\u8bba\u5185\u5bb9", "\u661f\u7ea7"},
                                               {"customer_comment_text_en", "2020_sales"},
                                               {"text"}}) {
    EXPECT_THAT(why(cells), IsEmpty()) << testing::PrintToString(cells);
  }
}

TEST(TableHeader, RowsOfDataAreFound) {
  EXPECT_THAT(why({"the soup was good", "pos"}), HasSubstr("cell 1, of a chosen column, has 4 words"));
  EXPECT_THAT(why({"pos", "the soup was good"}, {1}), HasSubstr("cell 2, of a chosen column"));
  EXPECT_THAT(why({"good soup.", "pos"}), HasSubstr("like a sentence"));
  EXPECT_THAT(why({"good soup!", "pos"}), HasSubstr("like a sentence"));
  EXPECT_THAT(why({"\u6c64\u5f88\u597d\u559d\u3002", "pos"}), HasSubstr("like a sentence"));
  EXPECT_THAT(why({"good\nsoup", "pos"}), HasSubstr("line break"));
  EXPECT_THAT(why({std::string(41, 'x'), "pos"}), HasSubstr("longer"));
  EXPECT_THAT(why({"good", "1"}), HasSubstr("cell 2 is a number"));
  EXPECT_THAT(why({"1", "good"}, {1}), HasSubstr("cell 1 is a number"));
  EXPECT_THAT(why({"good", "2020-05-17 10:00"}), HasSubstr("number or a date"));
  EXPECT_THAT(why({"good", "-3.5"}), HasSubstr("number"));
  EXPECT_THAT(why({"1", "2", "3"}), HasSubstr("number"));
  EXPECT_THAT(why({"good", "yes", "yes"}), HasSubstr("cells 2 and 3 are equal"));
  EXPECT_THAT(why({"good", ""}), HasSubstr("cell 2 is empty"));
  EXPECT_THAT(why({"good", "jo@example.org"}), HasSubstr("@"));
}

// Only in the place of a chosen column: questions are common names of columns in surveys.
TEST(TableHeader, AnUnchosenCellMayBeLong) {
  EXPECT_THAT(why({"text", "What did you like most about the soup?"}), IsEmpty());
}

TEST(TableHeader, ARowThatLooksLikeDataNeedsAWord) {
  const std::string input = "1,canaryword was never here\n0,good\n";
  for (const std::string format : {"csv", "tsv"}) {
    std::string table = input;
    if (format == "tsv") std::replace(table.begin(), table.end(), ',', '\t');
    const ReadingTexts options = {{"format", {format}}, {"column", {"2"}}};
    const auto fault = fault_of_format(options, table);
    EXPECT_EQ(fault.code, ErrorCode::usage);
    EXPECT_THAT(fault.message, HasSubstr("`header`"));
    EXPECT_THAT(fault.message, HasSubstr("`no-header`"));
    EXPECT_EQ(run_format(test::with_flag(options, "header"), table).documents, Cells({"good"}));
    EXPECT_EQ(run_format(test::with_flag(options, "no-header"), table).documents,
              Cells({"canaryword was never here", "good"}));
  }
}

// The first cell of a file without a header reads 1: --column 1 must not be taken for its name.
TEST(TableHeader, AFirstCellThatReadsAsTheNumberIsRefused) {
  const auto fault = fault_of_format({{"format", {"csv"}}, {"column", {"1"}}}, "5,1\n3,canaryword\n");
  EXPECT_EQ(fault.code, ErrorCode::usage);
  EXPECT_THAT(fault.message, HasSubstr("`no-header`"));
}

// Whoever types a name that the row has knows that it is a header.
TEST(TableHeader, AColumnChosenByNameIsEnough) {
  const std::string input = "id,2020,,What did you like most?,id\n1,2,3,good,5\n";
  EXPECT_EQ(run_format({{"format", {"csv"}}, {"column", {"What did you like most?"}}}, input).documents,
            Cells({"good"}));
  EXPECT_EQ(fault_of_format({{"format", {"csv"}}, {"column", {"4"}}}, input).code, ErrorCode::usage);
}

}  // namespace
}  // namespace sotto
