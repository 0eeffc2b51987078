#include "text/pipeline.h"

#include <gmock/gmock.h>

#include "text/pipeline_support.h"

namespace sotto {
namespace {

using test::run_stream;
using test::StreamRun;
using test::TrickleSource;

TEST(Pipeline, SeededOutputDoesNotDependOnThreadsOrReads) {
  const std::string input = test::many_lines(3000);
  const Privatizer privatizer = test::uniform_privatizer();
  const StreamRun expected = run_stream(privatizer, {}, input, {.threads = 1, .chunk_bytes = 512});
  EXPECT_NE(expected.output, input);
  for (const unsigned threads : {1U, 2U, 5U}) {
    for (const std::size_t largest_read : {7, 100000}) {
      TrickleSource source(input, largest_read, threads);
      const StreamRun run = run_stream(privatizer, {}, source, {.threads = threads, .chunk_bytes = 512});
      EXPECT_EQ(run.output, expected.output);
      EXPECT_EQ(run.counts.tokens, expected.counts.tokens);
    }
  }
}

TEST(Pipeline, EachChunkHasAStreamOfItsOwn) {
  std::string input;
  for (int i = 0; i < 64; ++i) input += "red green blue one two three four red green blue one two\n";
  const Privatizer privatizer = test::uniform_privatizer();
  const StreamRun run = run_stream(privatizer, {}, input, {.threads = 2, .chunk_bytes = 1});
  std::set<std::string> lines;
  for (std::size_t at = 0; at < run.output.size();) {
    const std::size_t end = run.output.find('\n', at);
    lines.insert(run.output.substr(at, end - at));
    at = end + 1;
  }
  // 64 lines of 12 uniform draws from 8 words: two are equal with probability below 1e-7.
  EXPECT_EQ(lines.size(), 64U);

  const StreamRun later =
      run_stream(privatizer, {}, input, {.threads = 2, .first_stream = 1, .chunk_bytes = 1});
  const auto second_line = run.output.find('\n') + 1;
  EXPECT_EQ(later.output.substr(0, 20), run.output.substr(second_line, 20));
}

TEST(Pipeline, OrderIsKeptWhenAnEarlierChunkIsSlower) {
  const auto model = test::small_model();
  test::Signals signals;
  const WordId one = test::id_of(*model, "one");
  const WordId two = test::id_of(*model, "two");
  // The first chunk is not done before the second.
  const Privatizer privatizer = test::rule_privatizer(model, [&](WordId word) {
    if (word == one) signals.wait(two);
    if (word == two) signals.give(two);
    return word;
  });
  const std::string input = "one\ntwo\nthree\nfour\nred\n";
  EXPECT_EQ(run_stream(privatizer, {}, input, {.threads = 2, .chunk_bytes = 1}).output, input);
}

TEST(Pipeline, BytesOutsideTokensAreKeptInEveryFormat) {
  const Privatizer privatizer = test::copying_privatizer();
  struct Case {
    ReadingTexts options;
    std::string input;
  };
  const std::vector<Case> cases = {
      {{}, "\xEF\xBB\xBFone,\t two!\r\n\n  \r\n(three) ... unknownword\r\nlast"},
      {{{"format", {"csv"}}, {"column", {"text", "3"}}},
       "\xEF\xBB\xBFid,\"text\",x\r\n1,\"one, "
       "\"\"two\"\"\r\nthree\",red\r\n\r\n2,green,\n\"3\",,unknownword\n"},
      {{{"format", {"csv"}}, {"no-header", {}}, {"column", {"2"}}},
       "\"a\n\",\"\"\"one\"\"\",\na b,two,\"q\"\"\""},
      {{{"format", {"tsv"}}, {"tsv-quotes", {"literal"}}, {"column", {"text"}}},
       "text\tid\r\n\"one, two\t1\n\n three \t\xff\n"},
      {{{"format", {"jsonl"}}, {"field", {"t", "u.v"}}, {"missing-field", {"pass"}}},
       "{\"t\" : \"one \\\"two\\\"\\n\", \"u\":[{\"v\":\"red\"}], "
       "\"w\":\"\\u0041\"}\r\n\n{\"t\":null}\n{\"u\":{\"v\":\"\"}}"}};
  for (const Case& c : cases) {
    SCOPED_TRACE(testing::PrintToString(c.options));
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{40}, kChunkBytes}) {
      for (const unsigned threads : {1U, 3U}) {
        TrickleSource source(c.input, 7, threads);
        const StreamRun run =
            run_stream(privatizer, c.options, source, {.threads = threads, .chunk_bytes = chunk});
        EXPECT_EQ(run.output, c.input);
      }
    }
  }
}

// A person is often a row: its loss is the sum over all chosen columns.
TEST(Pipeline, TheLongestRecordIsASumOverItsDocuments) {
  const Privatizer privatizer = test::copying_privatizer();
  struct Case {
    ReadingTexts format;
    std::string input;
  };
  const std::vector<Case> cases = {
      {{{"format", {"csv"}}, {"column", {"a", "c"}}},
       "a,b,c\nred,x,one two\n\"red\ngreen\",x,\"one\ntwo\"\nred green blue,x,\n"},
      {{{"format", {"tsv"}}, {"column", {"a", "c"}}},
       "a\tb\tc\nred\tx\tone two\nred green\tx\tone two\nred green blue\tx\t\n"},
      {{{"format", {"jsonl"}}, {"field", {"a", "c"}}},
       R"({"a": "red", "c": "one two"})"
       "\n"
       R"({"a": "red green", "c": ["one", "two"]})"
       "\n"
       R"({"a": "red green blue", "c": ""})"
       "\n"}};
  for (const Case& one : cases) {
    for (const std::size_t chunk : {1, 100000}) {
      const StreamRun run = run_stream(privatizer, one.format, one.input, {.chunk_bytes = chunk});
      EXPECT_EQ(run.counts.longest_document, 3U) << one.input;
      EXPECT_EQ(run.counts.longest_record, 4U) << one.input;
    }
  }
  const StreamRun lines = run_stream(privatizer, {}, "red green\none\nred green blue\n\n", {});
  EXPECT_EQ(lines.counts.longest_record, 3U);
}

TEST(Pipeline, OneWordPerLineGivesOneWordPerLine) {
  const Privatizer privatizer = test::uniform_privatizer();
  std::string input;
  for (int i = 0; i < 500; ++i) input += "red\n";
  const StreamRun run = run_stream(privatizer, {}, input, {.threads = 2, .chunk_bytes = 100});
  EXPECT_EQ(std::count(run.output.begin(), run.output.end(), '\n'), 500);
  EXPECT_EQ(run.output.find(' '), std::string::npos);
  EXPECT_EQ(run.output.find("\n\n"), std::string::npos);
  EXPECT_EQ(run.counts.documents, 500U);
  EXPECT_EQ(run.counts.tokens, 500U);
}

TEST(Pipeline, ProgressGrowsToTheWholeInput) {
  const std::string input = test::many_lines(200);
  std::vector<Progress> seen;
  const StreamRun run =
      run_stream(test::copying_privatizer(), {}, input,
                 {.threads = 3,
                  .on_progress = [&](const Progress& progress) { seen.push_back(progress); },
                  .chunk_bytes = 300});
  ASSERT_GT(seen.size(), 5U);
  for (std::size_t i = 1; i < seen.size(); ++i) {
    EXPECT_GT(seen[i].records, seen[i - 1].records);
    EXPECT_GE(seen[i].bytes_read, seen[i - 1].bytes_read);
  }
  EXPECT_EQ(seen.back().records, 200U);
  EXPECT_EQ(seen.back().tokens, run.counts.tokens);
  EXPECT_EQ(seen.back().bytes_read, input.size());
  EXPECT_EQ(seen.back().bytes_total, input.size());
}

// Writes lag behind reads by no more than the chunks in flight, whatever the length of the input.
TEST(Pipeline, ReadingAheadIsBounded) {
  constexpr std::size_t kChunk = 4096;
  constexpr unsigned kThreads = 2;
  class MeasuringSink final : public ByteSink {
   public:
    explicit MeasuringSink(const ByteSource& source) : source_(&source) {}
    void write(std::string_view bytes) override {
      largest_lag = std::max<std::uint64_t>(largest_lag, source_->consumed() - written_);
      written_ += bytes.size();
    }
    void finish() override {}
    std::uint64_t largest_lag = 0;

   private:
    const ByteSource* source_;
    std::uint64_t written_ = 0;
  };
  TrickleSource source(test::many_lines(100000), 1024);
  MeasuringSink sink(source);
  const auto format = make_format({});
  privatize_stream(source, sink, *format, test::copying_privatizer(), RandomSource::seeded_not_private(1),
                   {.threads = kThreads, .chunk_bytes = kChunk});
  // Four chunks per thread, each with a record's overhang, and one read.
  EXPECT_LE(sink.largest_lag, std::uint64_t{4} * kThreads * (kChunk + 64) + 1024);
  EXPECT_GT(source.total(), 20 * sink.largest_lag);
}

}  // namespace
}  // namespace sotto
