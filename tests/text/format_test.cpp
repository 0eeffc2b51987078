#include "text/format.h"

#include <gmock/gmock.h>

#include "text/format_support.h"

namespace sotto {
namespace {

using test::fault_of;
using test::run_format;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Format, NamesReadBack) {
  for (const FormatInfo& format : formats()) EXPECT_EQ(&find_format(format.name), &format);
  const auto fault = fault_of([] { find_format("xml"); });
  EXPECT_EQ(fault.code, ErrorCode::usage);
  EXPECT_THAT(fault.message, HasSubstr("text, csv, tsv"));
  for (const FormatInfo& format : formats()) EXPECT_THAT(fault.message, HasSubstr(std::string(format.name)));
}

TEST(Format, ExtensionChoosesTheFormatBelowCompression) {
  EXPECT_EQ(format_of_name("a.csv").name, "csv");
  EXPECT_EQ(format_of_name("dir.csv/a.CSV.gz").name, "csv");
  EXPECT_EQ(format_of_name("a.tsv.zst").name, "tsv");
  EXPECT_EQ(format_of_name("a.jsonl").name, "jsonl");
  EXPECT_EQ(format_of_name("a.ndjson.gz").name, "jsonl");
  EXPECT_EQ(format_of_name("dir.csv/a.txt").name, "text");
  EXPECT_EQ(format_of_name("a.unknown").name, "text");
  EXPECT_EQ(format_of_name("a.gz").name, "text");
  EXPECT_EQ(format_of_name("-").name, "text");
}

TEST(TextLines, EveryLineIsADocumentAndLineEndsStayOutside) {
  const auto run = run_format({}, "one\r\ntwo three\n\n\r\nfo\rur\r\r\nlast");
  EXPECT_THAT(run.documents, ElementsAre("one", "two three", "", "", "fo\rur\r", "last"));
  EXPECT_THAT(run.lines, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(run.passed_through, IsEmpty());
}

TEST(TextLines, BytesOutsideDocumentsAreKept) {
  const auto replaced = [](const std::string& input) {
    return run_format({}, input, [](std::string_view text) { return text.empty() ? "" : "X"; }).output;
  };
  EXPECT_EQ(replaced("\xEF\xBB\xBFone\r\ntwo\n\nthree"), "\xEF\xBB\xBFX\r\nX\n\nX");
  EXPECT_EQ(replaced("one\n"), "X\n");
  EXPECT_EQ(replaced("\n"), "\n");
}

TEST(TextLines, AByteOrderMarkIsOneOnlyAtTheStart) {
  const auto run = run_format({},
                              "a\n\xEF\xBB\xBF"
                              "b\n",
                              test::same, {.chunk_bytes = 1});
  EXPECT_THAT(run.documents, ElementsAre("a",
                                         "\xEF\xBB\xBF"
                                         "b"));
}

}  // namespace
}  // namespace sotto
