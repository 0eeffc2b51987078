// Records and output must not depend on how the bytes arrive or on where chunks are cut.
#include <gmock/gmock.h>

#include <numeric>
#include <optional>

#include "text/format_support.h"

namespace sotto {
namespace {

using test::Fault;
using test::FormatRun;
using test::record_ends;
using test::run_format;

struct Case {
  ReadingTexts options;
  std::vector<std::string> records;
};

std::vector<Case> cases() {
  const std::vector<std::string> csv = {"\xEF\xBB\xBF\"te\nxt\",id,more\r\n",
                                        "\"a, \"\"b\"\"\r\nc\",1,\r\n",
                                        "\n",
                                        "\"\"\"\",2,\"\"\n",
                                        "5\" pipe,\"\"\"\n\",\n",
                                        "\r\n",
                                        ",,\n",
                                        "\"\",\"\n\n\"\"\",\n",
                                        "last,\"x\","};
  const std::vector<std::string> lines = {
      "\xEF\xBB\xBFtext\tid\r\n", "a \"b\tc\n", "\n", "\r\n", "\t\"\n", "z\t1"};
  const std::vector<std::string> json = {"\xEF\xBB\xBF{\"t\":\"a\\n\\\"b\"}\r\n", "\n", " \t\r\n",
                                         "{\"t\":[\"\\ud83d\\ude00\",[],[\"c\"]],\"u\":1e400}\n",
                                         "{\"t\":[]}"};
  return {{{{"format", {"csv"}}, {"header", {}}, {"column", {"1"}}}, csv},
          {{{"format", {"csv"}}, {"no-header", {}}, {"column", {"1", "2"}}}, {csv.begin() + 1, csv.end()}},
          {{{"format", {"tsv"}}, {"column", {"1", "2"}}},
           {"text\tid\n", "a \"b\tc\r\n", "\n", "\r\n", "\tx\"\n", "z\t1"}},
          {{{"format", {"tsv"}}, {"tsv-quotes", {"literal"}}, {"column", {"1", "2"}}},
           {"text\tid\n", "a \"b\tc\r\n", "\n", "\r\n", "\t\"\n", "z\t1"}},
          {{{"format", {"tsv"}}, {"tsv-quotes", {"excel"}}, {"column", {"1", "2"}}},
           {"\xEF\xBB\xBF\"te\txt\"\tid\n", "a, \"b\t\"c\t\"\"\r\n\"\r\n", "\n", "\r\n", "\t\"\"\n",
            "z\t\"\n1\""}},
          {{{"format", {"text"}}}, lines},
          {{{"format", {"jsonl"}}, {"field", {"t"}}}, json}};
}

struct Start {
  std::string input;
  std::vector<std::size_t> ends;
};
// A part of the mark is text, so a quote behind it opens nothing; nor does the mark later in the file
// make a cell start.
std::vector<Start> strange_starts() {
  return {{"\xEF\xBB\"a\n\",b\nc", {5}}, {"\xEF\"\n\"\n", {3}},
          {"\xEF\xBB\xBF\"\n\"\n", {7}}, {"\xEF", {}},
          {"\xEF\xBB\xBF", {}},          {"a\n\xEF\xBB\xBF\"b\n\",c\n", {2, 8}}};
}

std::string joined(const std::vector<std::string>& records) {
  return std::accumulate(records.begin(), records.end(), std::string());
}

std::vector<std::size_t> random_cuts(std::size_t size, std::mt19937& random) {
  std::vector<std::size_t> cuts;
  for (std::size_t at = 0; at < size; ++at) {
    if (random() % 3 == 0) cuts.push_back(at);
  }
  return cuts;
}

TEST(FormatSplits, RecordEndsAreTheSameForEverySplitPoint) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.options.at("format").front());
    const std::string input = joined(c.records);
    std::vector<std::size_t> expected;
    std::size_t end = 0;
    for (const std::string& record : c.records) expected.push_back(end += record.size());
    expected.pop_back();  // the last record has no line end
    ASSERT_EQ(record_ends(c.options, input, {}), expected);
    for (std::size_t cut = 0; cut <= input.size(); ++cut) {
      ASSERT_EQ(record_ends(c.options, input, {cut}), expected) << cut;
    }
    std::mt19937 random(7);
    for (int i = 0; i < 300; ++i)
      ASSERT_EQ(record_ends(c.options, input, random_cuts(input.size(), random)), expected);
  }
}

TEST(FormatSplits, StrangeStartsAreScannedAlikeForEverySplitPoint) {
  const ReadingTexts options{{"format", {"csv"}}, {"column", {"1"}}};
  for (const auto& [input, expected] : strange_starts()) {
    for (std::size_t first = 0; first <= input.size(); ++first) {
      for (std::size_t second = first; second <= input.size(); ++second) {
        ASSERT_EQ(record_ends(options, input, {first, second}), expected);
      }
    }
  }
}

TEST(FormatSplits, OutputIsTheSameForEveryReadAndChunkSize) {
  for (const Case& c : cases()) {
    const bool may_hold_line_ends =
        c.options.at("format").front() != "tsv" ||
        (c.options.contains("tsv-quotes") && c.options.at("tsv-quotes").front() == "excel");
    const auto replace = [&](std::string_view text) {
      return "<" + std::string(text) + (may_hold_line_ends ? ",\"\n>" : ",\">");
    };
    SCOPED_TRACE(c.options.at("format").front());
    const std::string input = joined(c.records);
    const FormatRun whole = run_format(c.options, input, replace);
    EXPECT_FALSE(whole.documents.empty());
    for (const std::size_t chunk : {1, 7, 20, 1000}) {
      for (const std::size_t read : {1, 2, 5, 1000}) {
        const FormatRun run = run_format(c.options, input, replace, {chunk, read});
        EXPECT_EQ(run.output, whole.output);
        EXPECT_EQ(run.documents, whole.documents);
        EXPECT_EQ(run.lines, whole.lines);
      }
    }
  }
}

// The scan for record ends and the parser read quotes by two pieces of code: on any bytes they must
// agree, or a chunk would be cut inside a quoted cell.
TEST(FormatSplits, ChunksOfOneRecordReadLikeOneChunkOnRandomBytes) {
  constexpr std::string_view kAlphabet = "ab ,,\"\"\"\n\n\r\t";
  std::mt19937 random(11);
  int read = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string input = random() % 4 == 0 ? "\xEF\xBB\xBF" : "";
    for (std::size_t i = 1 + random() % 24; i > 0; --i) input += kAlphabet[random() % kAlphabet.size()];
    const ReadingTexts csv = {{"format", {"csv"}},
                              {round % 2 == 0 ? "header" : "no-header", {}},
                              {"short-rows", {round % 3 == 0 ? "refuse" : "pass"}},
                              {"column", {"1"}}};
    ReadingTexts tsv = csv;
    tsv["format"] = {"tsv"};
    ReadingTexts literal = tsv;
    literal["tsv-quotes"] = {"literal"};
    ReadingTexts excel = tsv;
    excel["tsv-quotes"] = {"excel"};
    for (const ReadingTexts& options : {csv, tsv, literal, excel, ReadingTexts{}}) {
      const auto outcome = [&](test::Cutting cutting) -> std::pair<std::string, std::vector<std::string>> {
        try {
          const FormatRun run = run_format(options, input, test::same, cutting);
          read += options.empty() ? 0 : 1;
          return {run.output, run.documents};
        } catch (const Error& error) {
          return {error.what(), {"an error"}};
        }
      };
      ASSERT_EQ(outcome({.chunk_bytes = 1, .read_bytes = 3}), outcome({})) << testing::PrintToString(input);
    }
  }
  EXPECT_GT(read, 5000);  // of 40,000 readings of tables; many have a lone CR
}

TEST(FormatSplits, BlankLinesAheadOfTheHeaderStayInItsChunk) {
  const std::string input = "\n\r\n\ntext,id\n\nhello,1\n";
  for (const std::size_t chunk : {1, 3, 100}) {
    const FormatRun run =
        run_format({{"format", {"csv"}}, {"column", {"text"}}}, input, test::same, {.chunk_bytes = chunk});
    EXPECT_EQ(run.documents, std::vector<std::string>{"hello"});
    EXPECT_EQ(run.lines, std::vector<std::uint64_t>{6});
    EXPECT_EQ(run.output, input);
  }
}

}  // namespace
}  // namespace sotto
