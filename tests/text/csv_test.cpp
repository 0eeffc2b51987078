#include "text/csv.h"

#include <gmock/gmock.h>

#include "text/format_support.h"

namespace sotto {
namespace {

using test::fault_of_format;
using test::run_format;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

FormatOptions csv(std::vector<std::string> columns) {
  return {.kind = FormatKind::csv, .columns = std::move(columns)};
}
FormatOptions bare_csv(std::vector<std::string> columns) {
  return {.kind = FormatKind::csv, .header = TableHeader::absent, .columns = std::move(columns)};
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

TEST(Csv, WritesWhatItReadWhenNothingIsReplaced) {
  const std::string input =
      "\xEF\xBB\xBFid,\"te,xt\",note,more,last\r\n1,\"a\"\"b\nc\",\"keep \"\" this\"\r\n\r\n2,plain, x "
      "\n\n3,\"\",,,\"y\n\"";
  EXPECT_EQ(run_format(csv({"te,xt"}), input).output, input);
  EXPECT_EQ(run_format(csv({"1", "2", "3"}), input).output, input);
}

TEST(Csv, QuotesAReplacementIfTheCellWasQuotedOrTheTextNeedsIt) {
  const auto written = [](const std::string& cell, const std::string& replacement) {
    return run_format(bare_csv({"1"}), cell + ",1\n", [&](std::string_view) { return replacement; }).output;
  };
  EXPECT_EQ(written("a", "b c"), "b c,1\n");
  EXPECT_EQ(written("\"a\"", "b"), "\"b\",1\n");
  EXPECT_EQ(written("\"a\"", "\"b\""), "\"\"\"b\"\"\",1\n");
  EXPECT_EQ(written("a", "1,000"), "\"1,000\",1\n");
  EXPECT_EQ(written("a", "b\"c"), "\"b\"\"c\",1\n");
  EXPECT_EQ(written("a", "b\nc"), "\"b\nc\",1\n");
  EXPECT_EQ(written("a", "b\rc"), "\"b\rc\",1\n");
  EXPECT_EQ(written("", ""), ",1\n");
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
    const auto run =
        run_format(bare_csv({std::to_string(chosen + 1)}), input, test::same, {.chunk_bytes = 4});
    ASSERT_EQ(run.documents, expected) << testing::PrintToString(input);
    ASSERT_EQ(run.output, input);
  }
}

TEST(Csv, ChoosesColumnsByNameThenByNumber) {
  const std::string input = "b,2,\"te\"\"xt\"\nx,y,z\n";
  EXPECT_THAT(run_format(csv({"b"}), input).documents, ElementsAre("x"));
  EXPECT_THAT(run_format(csv({"te\"xt"}), input).documents, ElementsAre("z"));
  EXPECT_THAT(run_format(csv({"3"}), input).documents, ElementsAre("z"));
  EXPECT_THAT(run_format(csv({"1"}), input).documents, ElementsAre("x"));
  // A header that is called 2 wins over the number 2, wherever it stands.
  EXPECT_THAT(run_format(csv({"2"}), "2,b\nx,y\n").documents, ElementsAre("x"));
  EXPECT_THAT(run_format(csv({"3", "b", "1"}), input).documents, ElementsAre("x", "z"));
  EXPECT_THAT(run_format(bare_csv({"2"}), input).documents, ElementsAre("2", "y"));
}

TEST(Csv, AByteOrderMarkIsNoPartOfTheFirstName) {
  EXPECT_THAT(run_format(csv({"text"}), "\xEF\xBB\xBFtext,id\na,1\n").documents, ElementsAre("a"));
  EXPECT_THAT(run_format(csv({"text"}), "\xEF\xBB\xBF\"text\",id\na,1\n").documents, ElementsAre("a"));
}

TEST(Csv, AMissingColumnIsAUsageErrorThatListsTheColumns) {
  for (const std::vector<std::string>& wanted :
       std::vector<std::vector<std::string>>{{"txt"}, {"Text"}, {"4"}, {"0"}, {"-1"}, {"1x"}, {""}, {}}) {
    const auto fault = fault_of_format(csv(wanted), "id,text,long name\n1,canaryword,2\n");
    EXPECT_EQ(fault.code, ErrorCode::usage);
    EXPECT_THAT(fault.message, HasSubstr("'id', 'text', 'long name'"));
  }
  const auto twice = fault_of_format(csv({"a"}), "a,b,a\n1,canaryword,2\n");
  EXPECT_EQ(twice.code, ErrorCode::usage);
  EXPECT_THAT(twice.message, HasSubstr("by number, 1 to 3"));
}

// A file without a header read as one with: its cells must not be quoted as names.
TEST(Csv, TextInThePlaceOfNamesIsNotShown) {
  const std::string sentence =
      "I, " + std::string(test::kCanary) + ", was here and did not think that it would be a name";
  const auto fault = fault_of_format(csv({"text"}), "\"" + sentence + "\",\"canary\x1b[2Jword\",5\n");
  EXPECT_THAT(fault.message, HasSubstr("#1, #2, '5'"));
  for (const std::vector<std::string>& wanted :
       std::vector<std::vector<std::string>>{{"canary"}, {"3"}, {}}) {
    const auto bare = fault_of_format(bare_csv(wanted), "canaryword,2\n");
    EXPECT_EQ(bare.code, ErrorCode::usage);
    EXPECT_THAT(bare.message, HasSubstr("1 to 2"));
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
  EXPECT_EQ(run_format(bare_csv({"1"}), "\"a\"\r").output, "\"a\"\r");
}

TEST(Csv, ARowWithoutTheChosenColumnIsNamedByLine) {
  const auto fault = fault_of_format(csv({"text"}), "id,text\n1,\"a\nb\"\n\ncanaryword\n");
  EXPECT_EQ(fault.code, ErrorCode::bad_data);
  EXPECT_THAT(fault.message, StartsWith("line 5: "));
  EXPECT_THAT(fault.message, HasSubstr("column 2"));
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
