#include "text/tsv.h"

#include <gmock/gmock.h>

#include "text/format_support.h"

namespace sotto {
namespace {

using test::fault_of_format;
using test::run_format;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

FormatOptions tsv(std::vector<std::string> columns) {
  return {.kind = FormatKind::tsv, .columns = std::move(columns)};
}

TEST(Tsv, NothingIsQuoted) {
  const auto run = run_format(tsv({"text"}), "id\ttext\r\n1\t\"a\r\n2\tb\" \"\"\r\n\r\n3\t\r\n4\tlast");
  EXPECT_THAT(run.documents, ElementsAre("\"a", "b\" \"\"", "", "last"));
  EXPECT_THAT(run.lines, ElementsAre(2, 3, 5, 6));
  EXPECT_THAT(run.passed_through, ElementsAre("1"));
}

TEST(Tsv, BytesOutsideDocumentsAreKept) {
  const std::string input = "\xEF\xBB\xBFtext\tid\tmore\r\na, \"b\t1\n\nc\t2\textra\r\n\r\nd\t3";
  EXPECT_EQ(run_format(tsv({"text"}), input).output, input);
  EXPECT_EQ(run_format(tsv({"text"}), input, [](std::string_view) { return "x, \"y"; }).output,
            "\xEF\xBB\xBFtext\tid\tmore\r\nx, \"y\t1\n\nx, \"y\t2\textra\r\n\r\nx, \"y\t3");
}

TEST(Tsv, ColumnsAreChosenAsInCsv) {
  EXPECT_THAT(run_format(tsv({"2"}), "a\tb\n1\tx\n").documents, ElementsAre("x"));
  EXPECT_THAT(run_format({.kind = FormatKind::tsv, .header = TableHeader::absent, .columns = {"1"}}, "a\tb\n")
                  .documents,
              ElementsAre("a"));
  const auto fault = fault_of_format(tsv({"c"}), "a\tb\ncanaryword\tx\n");
  EXPECT_EQ(fault.code, ErrorCode::usage);
  EXPECT_THAT(fault.message, HasSubstr("'a', 'b'"));
}

TEST(Tsv, ARowWithoutTheChosenColumnIsNamedByLine) {
  const auto fault = fault_of_format(tsv({"b"}), "a\tb\n\n1\tx\ncanaryword\n");
  EXPECT_EQ(fault.code, ErrorCode::bad_data);
  EXPECT_THAT(fault.message, StartsWith("line 4: "));
}

}  // namespace
}  // namespace sotto
