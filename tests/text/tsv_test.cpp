#include "text/tsv.h"

#include <gmock/gmock.h>

#include "text/format_support.h"

namespace sotto {
namespace {

using test::fault_of;
using test::fault_of_format;
using test::run_format;
using test::with_flag;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

ReadingTexts tsv(std::vector<std::string> columns, const std::string& quotes = "refuse") {
  return {{"format", {"tsv"}}, {"tsv-quotes", {quotes}}, {"column", std::move(columns)}};
}

TEST(Tsv, LiteralQuotesAreOrdinaryCharacters) {
  const auto run =
      run_format(tsv({"text"}, "literal"), "id\ttext\r\n1\t\"a\r\n2\tb\" \"\"\r\n\r\n3\t\r\n4\t \"last");
  EXPECT_THAT(run.documents, ElementsAre("\"a", "b\" \"\"", "", " \"last"));
  EXPECT_THAT(run.lines, ElementsAre(2, 3, 5, 6));
  EXPECT_THAT(run.passed_through, ElementsAre("1"));
  EXPECT_EQ(run.layout.empty_lines, 1);
}

// What Excel and Python's excel-tab write: tabs, line ends and doubled quotes inside quotes.
TEST(Tsv, ExcelQuotesEncloseCells) {
  const std::string input = "id\ttext\tn\r\n1\t\"a\tb\r\nc \"\"d\"\"\"\t\"x\ty\"\r\n2\t5\" pipe, \tz\r\n";
  const auto run = run_format(tsv({"text"}, "excel"), input);
  EXPECT_THAT(run.documents, ElementsAre("a\tb\r\nc \"d\"", "5\" pipe, "));
  EXPECT_EQ(run.output, "id\ttext\tn\r\n1\t\"a\tb\r\nc \"\"d\"\"\"\t\"x\ty\"\r\n2\t\"5\"\" pipe, \"\tz\r\n");
  const auto written = [](const std::string& replacement) {
    return run_format(tsv({"1"}, "excel"), "a\tb\n\"x\"\ty\n", [&](std::string_view) { return replacement; })
        .output;
  };
  EXPECT_EQ(written("1,000"), "a\tb\n1,000\ty\n");
  EXPECT_EQ(written("1\t2"), "a\tb\n\"1\t2\"\ty\n");
}

// A continuation line of a quoted cell would pass in clear if quotes were taken for ordinary characters.
TEST(Tsv, ACellThatBeginsWithAQuoteIsRefusedUnlessItsMeaningIsSaid) {
  for (const std::string input :
       {"id\ttext\n1\t\"canaryword\ncanaryword\t2\"\n", "id\ttext\n\"1\"\tcanaryword\n",
        "id\ttext\n1\t\"canaryword\n", "id\ttext\n1\t \"canaryword\"\n", "id\ttext\n\"\tcanaryword\n"}) {
    for (const char* header : {"", "no-header"}) {
      const auto fault = fault_of_format(with_flag(tsv({"2"}), header), input);
      EXPECT_EQ(fault.code, ErrorCode::bad_data);
      EXPECT_THAT(fault.message, StartsWith("line 2: "));
      EXPECT_THAT(fault.message, HasSubstr("`tsv-quotes` literal"));
      EXPECT_THAT(fault.message, HasSubstr("`tsv-quotes` excel"));
    }
  }
  EXPECT_THAT(fault_of_format(tsv({"2"}), "id\t\"canaryword\"\n1\ta\n").message, StartsWith("line 1: "));
  EXPECT_THAT(run_format(tsv({"2"}), "id\ttext\n5\" pipe\ta \"b\"\n").documents, ElementsAre("a \"b\""));
}

TEST(Tsv, BytesOutsideDocumentsAreKept) {
  const std::string input = "\xEF\xBB\xBFtext\tid\tmore\r\na, \"b\t1\t\n\nc\t2\textra\r\n\r\nd\t3\t";
  EXPECT_EQ(run_format(tsv({"text"}), input).output, input);
  EXPECT_EQ(run_format(tsv({"text"}), input, [](std::string_view) { return "x, \"y"; }).output,
            "\xEF\xBB\xBFtext\tid\tmore\r\nx, \"y\t1\t\n\nx, \"y\t2\textra\r\n\r\nx, \"y\t3\t");
}

// --strip-html decodes &quot;, and --unknown drop removes the word before a quote.
TEST(Tsv, ANewTextThatReadersWouldCutDifferentlyIsRefused) {
  const auto fault_with = [](const std::string& quotes, const std::string& replacement) {
    return fault_of([&] {
             run_format(tsv({"1"}, quotes), "a\tb\nx\ty\n", [&](std::string_view) { return replacement; });
           })
        .code;
  };
  EXPECT_EQ(fault_with("refuse", "\"canaryword"), ErrorCode::bad_data);
  for (const std::string quotes : {"refuse", "literal"}) {
    EXPECT_EQ(fault_with(quotes, "canaryword\ta"), ErrorCode::bad_data);
    EXPECT_EQ(fault_with(quotes, "canaryword\na"), ErrorCode::bad_data);
    EXPECT_EQ(fault_with(quotes, "canaryword\r"), ErrorCode::bad_data);
    const auto emptied = [](std::string_view) { return ""; };
    EXPECT_EQ(fault_of([&] { run_format(tsv({"1"}, quotes), "a\ncanaryword\n", emptied); }).code,
              ErrorCode::bad_data);
    EXPECT_EQ(run_format(tsv({"1"}, quotes), "a\tb\nx\ty\n", emptied).output, "a\tb\n\ty\n");
  }
}

TEST(Tsv, ColumnsAreChosenAsInCsv) {
  EXPECT_THAT(run_format(tsv({"2"}), "a\tb\nx\ty\n").documents, ElementsAre("y"));
  EXPECT_THAT(run_format({{"format", {"tsv"}}, {"no-header", {}}, {"column", {"1"}}}, "a\tb\n").documents,
              ElementsAre("a"));
  const auto fault = fault_of_format(tsv({"c"}), "canaryword\tb\ncanaryword\tx\n");
  EXPECT_EQ(fault.code, ErrorCode::usage);
  EXPECT_THAT(fault.message, HasSubstr("the table has 2 columns"));
}

TEST(Tsv, RowsOfOtherLengthsAndLoneCarriageReturnsAreRefusedInEveryDialect) {
  for (const std::string quotes : {"refuse", "literal", "excel"}) {
    ReadingTexts options = tsv({"b"}, quotes);
    for (const std::string input : {"a\tb\n\n1\tx\ncanaryword\n", "a\tb\n\n1\tx\n1\t2\tcanaryword\n",
                                    "a\tb\n\n1\tx\n1\tcanaryword\r2\ta\n", "a\tb\n\n1\tx\n1\tcanaryword\r"}) {
      const auto fault = fault_of_format(options, input);
      EXPECT_EQ(fault.code, ErrorCode::bad_data);
      EXPECT_THAT(fault.message, StartsWith("line 4: "));
    }
    EXPECT_THAT(fault_of_format(options, "a\tb\r1\tcanaryword\r").message, StartsWith("line 1: "));
    options["short-rows"] = {"pass"};
    const auto run = run_format(options, "a\tb\n1\tx\n2\n\n");
    EXPECT_THAT(run.documents, ElementsAre("x"));
    EXPECT_EQ(run.layout.short_rows, 1);
    EXPECT_EQ(run.layout.empty_lines, 1);
    EXPECT_THAT(run.allowed_leaks, ElementsAre(HasSubstr("fewer cells")));
  }
}

}  // namespace
}  // namespace sotto
