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

TEST(Format, KindsHaveNamesThatReadBack) {
  for (const FormatKind kind : {FormatKind::text, FormatKind::csv, FormatKind::tsv, FormatKind::jsonl}) {
    EXPECT_EQ(parse_format(format_name(kind)), kind);
  }
  const auto fault = fault_of([] { parse_format("xml"); });
  EXPECT_EQ(fault.code, ErrorCode::usage);
  EXPECT_THAT(fault.message, HasSubstr("text, csv, tsv and jsonl"));
}

TEST(Format, ExtensionChoosesTheKindBelowCompression) {
  EXPECT_EQ(format_of_name("a.csv"), FormatKind::csv);
  EXPECT_EQ(format_of_name("dir.csv/a.CSV.gz"), FormatKind::csv);
  EXPECT_EQ(format_of_name("a.tsv.zst"), FormatKind::tsv);
  EXPECT_EQ(format_of_name("a.jsonl"), FormatKind::jsonl);
  EXPECT_EQ(format_of_name("a.ndjson.gz"), FormatKind::jsonl);
  EXPECT_EQ(format_of_name("dir.csv/a.txt"), FormatKind::text);
  EXPECT_EQ(format_of_name("a.gz"), FormatKind::text);
  EXPECT_EQ(format_of_name("-"), FormatKind::text);
}

TEST(Format, OptionsOfAnotherFormatAreRefused) {
  const auto refused = [](const FormatOptions& options) {
    return fault_of([&] { make_format(options); }).code == ErrorCode::usage;
  };
  EXPECT_TRUE(refused({.kind = FormatKind::text, .columns = {"1"}}));
  EXPECT_TRUE(refused({.kind = FormatKind::text, .fields = {"a"}}));
  EXPECT_TRUE(refused({.kind = FormatKind::text, .header = TableHeader::absent}));
  EXPECT_TRUE(refused({.kind = FormatKind::text, .header = TableHeader::present}));
  EXPECT_TRUE(refused({.kind = FormatKind::text, .short_rows = ShortRows::pass}));
  EXPECT_TRUE(refused({.kind = FormatKind::csv, .tsv_quotes = TsvQuotes::literal}));
  EXPECT_TRUE(refused({.kind = FormatKind::jsonl, .short_rows = ShortRows::pass}));
  EXPECT_TRUE(refused({.kind = FormatKind::csv, .fields = {"a"}}));
  EXPECT_TRUE(refused({.kind = FormatKind::jsonl, .columns = {"a"}}));
  EXPECT_TRUE(refused({.kind = FormatKind::jsonl, .header = TableHeader::absent}));
  EXPECT_TRUE(refused({.kind = FormatKind::jsonl, .fields = {""}}));
}

TEST(Format, ChoicesForTablesHaveNames) {
  EXPECT_EQ(parse_tsv_quotes("literal"), TsvQuotes::literal);
  EXPECT_EQ(parse_tsv_quotes("excel"), TsvQuotes::excel);
  EXPECT_EQ(parse_tsv_quotes("refuse"), TsvQuotes::refuse);
  EXPECT_EQ(parse_short_rows("pass"), ShortRows::pass);
  EXPECT_EQ(parse_short_rows("refuse"), ShortRows::refuse);
  EXPECT_EQ(fault_of([] { parse_tsv_quotes("none"); }).code, ErrorCode::usage);
  EXPECT_EQ(fault_of([] { parse_short_rows(""); }).code, ErrorCode::usage);
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
