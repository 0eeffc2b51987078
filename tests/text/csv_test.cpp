#include "text/csv.h"

#include <gmock/gmock.h>

#include "text/format_support.h"

namespace sotto {
namespace {

using test::fault_of_format;
using test::run_format;
using test::with_flag;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

ReadingTexts csv(std::vector<std::string> columns) {
  return {{"format", {"csv"}}, {"column", std::move(columns)}};
}
ReadingTexts bare_csv(std::vector<std::string> columns) {
  return {{"format", {"csv"}}, {"no-header", {}}, {"column", std::move(columns)}};
}

TEST(Csv, ReadsQuotedCellsByRfc4180) {
  const auto run = run_format(csv({"text"}),
                              "id,text\r\n"
                              "1,\"a, b\"\r\n"
                              "2,\"say \"\"hi\"\"\"\r\n"
                              "3,\"two\r\nlines\"\r\n"
                              "4,\"\"\r\n"
                              "5,\"\"\"\"\r\n"
                              "6,");
  EXPECT_THAT(run.documents, ElementsAre("a, b", "say \"hi\"", "two\r\nlines", "", "\"", ""));
  EXPECT_THAT(run.lines, ElementsAre(2, 3, 4, 6, 7, 8));
  EXPECT_THAT(run.passed_through, ElementsAre("1"));
  EXPECT_THAT(run.passed_names, ElementsAre("id"));
}

// The quotes of chosen cells are those that the new text needs; every other byte is kept.
TEST(Csv, KeepsEveryByteOutsideTheChosenCells) {
  const std::string input =
      "\xEF\xBB\xBFid,\"te,xt\",note\r\n1,\"a\"\"b\nc\",\"keep \"\" this\"\r\n\r\n2,plain, x "
      "\n\n3,\"quoted\",\n4,\"\",\"y\n\"";
  EXPECT_EQ(run_format(csv({"te,xt"}), input).output,
            "\xEF\xBB\xBFid,\"te,xt\",note\r\n1,\"a\"\"b\nc\",\"keep \"\" this\"\r\n\r\n2,plain, x "
            "\n\n3,quoted,\n4,,\"y\n\"");
}

// Writers that quote texts and no numbers would otherwise show which cells were numbers.
TEST(Csv, QuotesAReplacementOnlyIfItsTextNeedsIt) {
  const auto written = [](const std::string& cell, const std::string& replacement) {
    return run_format(bare_csv({"1"}), cell + ",1\n", [&](std::string_view) { return replacement; }).output;
  };
  for (const std::string cell : {"a", "\"a\"", "5", "\"5\"", "\"a,\"\"b\""}) {
    EXPECT_EQ(written(cell, "b c"), "b c,1\n");
    EXPECT_EQ(written(cell, "\"b\""), "\"\"\"b\"\"\",1\n");
    EXPECT_EQ(written(cell, "1,000"), "\"1,000\",1\n");
    EXPECT_EQ(written(cell, "b\"c"), "\"b\"\"c\",1\n");
    EXPECT_EQ(written(cell, "b\nc"), "\"b\nc\",1\n");
    EXPECT_EQ(written(cell, "b\rc"), "\"b\rc\",1\n");
    EXPECT_EQ(written(cell, " b "), " b ,1\n");
    EXPECT_EQ(written(cell, " \"b\""), "\" \"\"b\"\"\",1\n");
    EXPECT_EQ(written(cell, ""), ",1\n");
    EXPECT_EQ(written(cell, "b\xEF\xBB\xBF"), "b\xEF\xBB\xBF,1\n");
  }
}

TEST(Csv, ATextThatBeginsWithAByteOrderMarkKeepsIt) {
  const std::string input = "\"\xEF\xBB\xBF\",1\n";
  const auto run = run_format(bare_csv({"1"}), input);
  EXPECT_THAT(run.documents, ElementsAre("\xEF\xBB\xBF"));
  EXPECT_EQ(run.output, input);
}

// In a table of one column an empty cell without quotes is an empty line, which is no row.
TEST(Csv, AnEmptyCellThatIsAloneInItsRowIsQuoted) {
  EXPECT_EQ(run_format(bare_csv({"1"}), "a\n\"\"\n").output, "a\n\"\"\n");
  ReadingTexts options = bare_csv({"1"});
  options["short-rows"] = {"pass"};
  EXPECT_EQ(run_format(options, "a,b\n\"\"\n").output, "a,b\n\"\"\n");
}

TEST(Csv, AQuoteInsideAnUnquotedCellIsAnOrdinaryCharacter) {
  const auto run = run_format(bare_csv({"1", "2"}), "5\" pipe,a\"\"b\nx\"y\",z\n");
  EXPECT_THAT(run.documents, ElementsAre("5\" pipe", "a\"\"b", "x\"y\"", "z"));
}

// Random tables, written with quotes where needed and at random, are read back cell by cell.
TEST(Csv, ReadsRandomTablesBack) {
  std::mt19937 random(3);
  constexpr std::string_view kAlphabet = "ab ,\"\n\r";
  for (int round = 0; round < 2000; ++round) {
    const std::size_t columns = 1 + random() % 4;
    const std::size_t chosen = random() % columns;
    std::string input;
    std::vector<std::string> expected;
    for (std::size_t row = random() % 5 + 1; row > 0; --row) {
      for (std::size_t column = 0; column < columns; ++column) {
        std::string cell;
        for (std::size_t i = random() % 5; i > 0; --i) cell += kAlphabet[random() % kAlphabet.size()];
        if (column == chosen) expected.push_back(cell);
        std::string quoted = "\"";
        for (const char c : cell) quoted += c == '"' ? "\"\"" : std::string(1, c);
        const bool needs_quotes = columns == 1 || cell.find_first_of(",\"\r\n") != std::string::npos;
        input += (column > 0 ? "," : "") + (needs_quotes || random() % 2 == 0 ? quoted + "\"" : cell);
      }
      input += random() % 2 == 0 ? "\n" : "\r\n";
    }
    const auto options = bare_csv({std::to_string(chosen + 1)});
    const auto run = run_format(options, input, test::same, {.chunk_bytes = 4});
    ASSERT_EQ(run.documents, expected) << testing::PrintToString(input);
    const auto again = run_format(options, run.output);
    ASSERT_EQ(again.documents, expected) << testing::PrintToString(input);
    ASSERT_EQ(again.output, run.output);
  }
}

TEST(Csv, ChoosesColumnsByNameOrByNumber) {
  const std::string input = "b,two,\"te\"\"xt\",=c,#one\nx,y,z,v,w\n";
  EXPECT_THAT(run_format(csv({"b"}), input).documents, ElementsAre("x"));
  EXPECT_THAT(run_format(csv({"te\"xt"}), input).documents, ElementsAre("z"));
  EXPECT_THAT(run_format(csv({"3"}), input).documents, ElementsAre("z"));
  EXPECT_THAT(run_format(csv({"1"}), input).documents, ElementsAre("x"));
  EXPECT_THAT(run_format(csv({"3", "b", "1"}), input).documents, ElementsAre("x", "z"));
  EXPECT_THAT(run_format(csv({"=two", "#3"}), input).documents, ElementsAre("y", "z"));
  EXPECT_THAT(run_format(csv({"=c"}), input).documents, ElementsAre("v"));
  EXPECT_THAT(run_format(csv({"=#one"}), input).documents, ElementsAre("w"));
  EXPECT_THAT(run_format(bare_csv({"2"}), input).documents, ElementsAre("two", "y"));
  EXPECT_THAT(run_format(bare_csv({"#2"}), input).documents, ElementsAre("two", "y"));
}

// A header that is called 2 makes the number 2 ambiguous, wherever it stands.
TEST(Csv, ANumberThatIsAlsoANameIsRefused) {
  for (const std::string input : {"2,b\nx,canaryword\n", "b,2\nx,canaryword\n", "b,2,c\nx,canaryword,y\n"}) {
    for (const char* header : {"", "header"}) {
      const auto fault = fault_of_format(with_flag(csv({"2"}), header), input);
      EXPECT_EQ(fault.code, ErrorCode::usage);
      EXPECT_THAT(fault.message, HasSubstr("`column` '=2' for the name"));
      EXPECT_THAT(fault.message, HasSubstr("`column` '#2' for the number"));
    }
  }
  EXPECT_THAT(run_format(csv({"=2"}), "2,b\nx,y\n").documents, ElementsAre("x"));
  EXPECT_THAT(run_format(with_flag(csv({"#2"}), "header"), "2,b\nx,y\n").documents, ElementsAre("y"));
  EXPECT_THAT(run_format(bare_csv({"2"}), "2,b\nx,y\n").documents, ElementsAre("b", "y"));
  EXPECT_EQ(fault_of_format(csv({"#1"}), "a,#1\nx,canaryword\n").code, ErrorCode::usage);
  EXPECT_EQ(fault_of_format(csv({"=a"}), "a,=a\nx,canaryword\n").code, ErrorCode::usage);
  EXPECT_EQ(fault_of_format(bare_csv({"=a"}), "a,b\nx,canaryword\n").code, ErrorCode::usage);
}

TEST(Csv, AByteOrderMarkIsNoPartOfTheFirstName) {
  EXPECT_THAT(run_format(csv({"text"}), "\xEF\xBB\xBFtext,id\na,1\n").documents, ElementsAre("a"));
  EXPECT_THAT(run_format(csv({"text"}), "\xEF\xBB\xBF\"text\",id\na,1\n").documents, ElementsAre("a"));
}

// The first row may be data, so that messages give the number of columns and none of their names.
TEST(Csv, AMissingColumnIsAUsageErrorThatCountsTheColumns) {
  for (const std::vector<std::string>& wanted :
       std::vector<std::vector<std::string>>{{"txt"}, {"Text"}, {"4"}, {"0"}, {"-1"}, {"1x"}, {""}, {"#4"}}) {
    const auto fault = fault_of_format(csv(wanted), "canaryword,long canaryword,5\n1,canaryword,2\n");
    EXPECT_EQ(fault.code, ErrorCode::usage);
    EXPECT_THAT(fault.message, HasSubstr("the table has 3 columns; choose by number, 1 to 3, or by name"));
  }
  const auto twice = fault_of_format(csv({"a"}), "a,b,a\n1,canaryword,2\n");
  EXPECT_EQ(twice.code, ErrorCode::usage);
  EXPECT_THAT(twice.message, HasSubstr("by number, 1 to 3"));
  for (const std::string wanted : {"canary", "3"}) {
    const auto bare = fault_of_format(bare_csv({wanted}), "canaryword,2\n");
    EXPECT_EQ(bare.code, ErrorCode::usage);
    EXPECT_THAT(bare.message, HasSubstr("1 to 2"));
  }
}

// Old Macs and some exports end rows in CR: the file would be one long header, all of it in clear.
TEST(Csv, ACarriageReturnWithoutLineFeedIsRefused) {
  struct Bad {
    std::string input;
    std::string line;
  };
  for (const auto& [input, line] : std::vector<Bad>{{"id,text\r1,canaryword\r2,canaryword\r", "line 1: "},
                                                    {"id,text\n1,canaryword\r2,canaryword\n", "line 2: "},
                                                    {"id,text\r\n1,a\r\n2,canaryword\r", "line 3: "},
                                                    {"id,text\r\r\n1,canaryword\r\n", "line 1: "},
                                                    {"\rid,text\n1,canaryword\n", "line 1: "},
                                                    {"id,text\n1,a\n\r2,canaryword\n", "line 3: "},
                                                    {"id,text\n1,\"canaryword\"\r2,b\n", "line 2: "},
                                                    {"id,text\n1,\"a\"\n2,\"canaryword\"\r", "line 3: "},
                                                    {"id,text\n1,b\n\n\r", "line 4: "},
                                                    {"\xEF\xBB\xBFid,text\r1,canaryword\r", "line 1: "}}) {
    for (const char* header : {"", "header", "no-header"}) {
      for (const std::size_t chunk : {1, 1000}) {
        const ReadingTexts options = with_flag(csv({"2"}), header);
        const auto fault = test::fault_of(
            [&, &text = input] { run_format(options, text, test::same, {.chunk_bytes = chunk}); });
        EXPECT_EQ(fault.code, ErrorCode::bad_data) << testing::PrintToString(input);
        EXPECT_THAT(fault.message, StartsWith(line)) << testing::PrintToString(input);
        EXPECT_THAT(fault.message, HasSubstr("carriage return"));
      }
    }
  }
  // Inside quotes it is text.
  EXPECT_THAT(run_format(csv({"text"}), "id,text\r\n1,\"a\rb\"\r\n").documents, ElementsAre("a\rb"));
}

TEST(Csv, ANulByteIsRefusedByLine) {
  using namespace std::string_literals;
  for (const std::string& input :
       {"id,text\n1,canaryword\0\n"s, "id,text\n\"1\n\0\",canaryword\n"s, "i\0d\0,\0t\0\n\0canaryword"s}) {
    const auto fault = fault_of_format(csv({"2"}), input);
    EXPECT_EQ(fault.code, ErrorCode::bad_data);
    EXPECT_THAT(fault.message, HasSubstr("UTF-16"));
  }
}

TEST(Csv, BrokenQuotesAreNamedByLine) {
  const auto unclosed = fault_of_format(csv({"text"}), "id,text\n1,\"a\nb\"\n2,\"canaryword\n3,c\n");
  EXPECT_EQ(unclosed.code, ErrorCode::bad_data);
  EXPECT_THAT(unclosed.message, StartsWith("line 4: "));
  const auto trailing = fault_of_format(csv({"text"}), "id,text\n1,\"a\nb\"canaryword\n2,c\n");
  EXPECT_EQ(trailing.code, ErrorCode::bad_data);
  EXPECT_THAT(trailing.message, StartsWith("line 3: "));
  // Also in a column that passes through, in the header, and where another dialect would start a quote.
  EXPECT_THAT(fault_of_format(csv({"id"}), "id,text\n1,\"x\" \n").message, StartsWith("line 2: "));
  EXPECT_THAT(fault_of_format(csv({"id"}), "\nid,\"canaryword\n").message, StartsWith("line 2: "));
  EXPECT_THAT(fault_of_format(csv({"text"}), "id,text\n1, \"canaryword, b\"\n").message,
              StartsWith("line 2: "));
  EXPECT_THAT(fault_of_format(csv({"id"}), "id,text\n1,\"x\"\r2\n").message, StartsWith("line 2: "));
}

TEST(Csv, AClosingQuoteMayEndTheFile) {
  EXPECT_THAT(run_format(bare_csv({"1"}), "\"a\"").documents, ElementsAre("a"));
}

// Such a row may be the rest of a text with a line break, which would pass in clear.
TEST(Csv, ARowShorterThanTheFirstIsRefused) {
  for (const auto& options : {csv({"text"}), csv({"id"}), bare_csv({"2"})}) {
    const auto fault = fault_of_format(options, "id,text\n1,\"a\nb\"\n\ncanaryword\n");
    EXPECT_EQ(fault.code, ErrorCode::bad_data);
    EXPECT_THAT(fault.message, StartsWith("line 5: "));
    EXPECT_THAT(fault.message, HasSubstr("`short-rows` pass"));
    EXPECT_THAT(run_format(options, "id,text\n1,a\n").allowed_leaks, IsEmpty());
  }
}

TEST(Csv, ShortRowsThatMayPassAreCountedAndTheirChosenCellsAreDocuments) {
  ReadingTexts options = csv({"text", "note"});
  options["short-rows"] = {"pass"};
  const std::string input = "id,text,note\n1,a,b\n2,c\n3\n\n\n4,d,e\n";
  const auto replaced = [](std::string_view) { return "x"; };
  for (const std::size_t chunk : {1, 1000}) {
    const auto run = run_format(options, input, replaced, {.chunk_bytes = chunk});
    EXPECT_THAT(run.documents, ElementsAre("a", "b", "c", "d", "e"));
    EXPECT_EQ(run.output, "id,text,note\n1,x,x\n2,x\n3\n\n\n4,x,x\n");
    EXPECT_EQ(run.layout.short_rows, 2);
    EXPECT_EQ(run.layout.empty_lines, 2);
    EXPECT_THAT(run.allowed_leaks, ElementsAre(HasSubstr("fewer cells")));
  }
  // Longer rows stay refused.
  EXPECT_EQ(fault_of_format(options, "id,text,note\n1,2,3,canaryword\n").code, ErrorCode::bad_data);
}

// An unquoted comma in a text would put the rest of it into a column that passes in clear.
TEST(Csv, ARowLongerThanTheFirstIsRefused) {
  for (const auto& options : {csv({"text"}), bare_csv({"2"})}) {
    const auto fault = fault_of_format(options, "id,text\n1,a\n2,b, canaryword\n");
    EXPECT_EQ(fault.code, ErrorCode::bad_data);
    EXPECT_THAT(fault.message, StartsWith("line 3: "));
    EXPECT_THAT(fault.message, Not(HasSubstr("canaryword")));
  }
}

TEST(Csv, AHeaderAloneIsFine) {
  for (const std::string input : {"id,text", "id,text\n", "id,text\r\n"}) {
    const auto run = run_format(csv({"text"}), input);
    EXPECT_EQ(run.output, input);
    EXPECT_THAT(run.documents, IsEmpty());
  }
}

TEST(Csv, PassedThroughColumnsHaveNumbersWithoutAHeader) {
  const auto run = run_format(bare_csv({"2"}), "canaryword,b,c\n");
  EXPECT_THAT(run.passed_through, ElementsAre("1", "3"));
  EXPECT_THAT(run.passed_names, ElementsAre("1", "3"));
}

}  // namespace
}  // namespace sotto
