#include <gmock/gmock.h>

#include <new>

#include "text/pipeline_support.h"

namespace sotto {
namespace {

using test::fault_of;
using test::run_stream;
using test::StringSink;
using test::TrickleSource;
using testing::HasSubstr;
using testing::StartsWith;

// Gives some bytes, then fails as a damaged file does.
class BrokenSource final : public ByteSource {
 public:
  explicit BrokenSource(std::string bytes) : good_(source_of_string(std::move(bytes))) {}
  std::size_t read(char* buffer, std::size_t capacity) override {
    const std::size_t count = good_->read(buffer, capacity);
    if (count == 0) throw Error(ErrorCode::input_output, "the source broke");
    return count;
  }
  [[nodiscard]] std::uint64_t consumed() const override { return good_->consumed(); }
  [[nodiscard]] std::uint64_t total() const override { return good_->total(); }

 private:
  std::unique_ptr<ByteSource> good_;
};

class FullSink final : public ByteSink {
 public:
  void write(std::string_view /*bytes*/) override {
    if (++writes > 3) throw Error(ErrorCode::input_output, "the disk is full");
  }
  void finish() override {}
  int writes = 0;
};

TEST(PipelineErrors, AnEmptyInputIsRefusedInEveryFormat) {
  for (const ReadingTexts& options : std::vector<ReadingTexts>{{},
                                                               {{"format", {"csv"}}, {"column", {"a"}}},
                                                               {{"format", {"tsv"}}, {"column", {"a"}}},
                                                               {{"format", {"jsonl"}}, {"field", {"a"}}}}) {
    const auto fault = fault_of([&] { run_stream(test::copying_privatizer(), options, "", {.threads = 2}); });
    EXPECT_EQ(fault.code, ErrorCode::bad_data);
    EXPECT_EQ(fault.message, "the input is empty; nothing was written");
  }
}

TEST(PipelineErrors, TheEarliestFaultIsThrownWhateverTheThreads) {
  std::string input = test::many_lines(1000);
  input += "red canaryword\xff\n" + test::many_lines(50) + "blue \xc3(\n" + test::many_lines(500);
  for (const unsigned threads : {1U, 2U, 5U}) {
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{200}, kChunkBytes}) {
      const auto fault = fault_of([&] {
        run_stream(test::copying_privatizer(), {}, input, {.threads = threads, .chunk_bytes = chunk});
      });
      EXPECT_EQ(fault.code, ErrorCode::bad_data);
      EXPECT_THAT(fault.message, StartsWith("line 1001: "));
    }
  }
}

TEST(PipelineErrors, AnEarlierFaultWinsOverOneThatHappenedFirst) {
  const auto model = test::small_model();
  test::Signals signals;
  const WordId two = test::id_of(*model, "two");
  const WordId four = test::id_of(*model, "four");
  const Privatizer privatizer = test::rule_privatizer(model, [&](WordId word) -> WordId {
    if (word == two) {
      signals.wait(four);
      throw Error(ErrorCode::internal, "second line");
    }
    if (word == four) {
      signals.give(four);
      throw Error(ErrorCode::internal, "fourth line");
    }
    return word;
  });
  const auto fault = fault_of(
      [&] { run_stream(privatizer, {}, "one\ntwo\nthree\nfour\nred\n", {.threads = 4, .chunk_bytes = 1}); });
  EXPECT_EQ(fault.message, "second line");
}

TEST(PipelineErrors, ADocumentsFaultIsNamedByItsLineInTheFile) {
  const std::string csv = "id,text\n1,\"one\ntwo\"\n2,\"three\n canaryword\xff\"\n";
  for (const std::size_t chunk : {std::size_t{1}, kChunkBytes}) {
    const auto fault = fault_of([&] {
      run_stream(test::copying_privatizer(), {{"format", {"csv"}}, {"column", {"text"}}}, csv,
                 {.threads = 2, .chunk_bytes = chunk});
    });
    EXPECT_EQ(fault.code, ErrorCode::bad_data);
    EXPECT_THAT(fault.message, StartsWith("line 4: "));
  }
  // Bytes of a column that passes through are not ours to judge.
  EXPECT_EQ(
      run_stream(test::copying_privatizer(), {{"format", {"csv"}}, {"column", {"2"}}}, "a,b\n\xff,one\n", {})
          .output,
      "a,b\n\xff,one\n");
}

TEST(PipelineErrors, FaultsOfParsersComeThroughWithoutText) {
  const auto fault = fault_of([&] {
    std::string input;
    for (int i = 0; i < 6; ++i) input += "{\"t\":\"one\"}\n";
    run_stream(test::copying_privatizer(), {{"format", {"jsonl"}}, {"field", {"t"}}},
               input + "{\"t\":\"canaryword\n", {.threads = 2, .chunk_bytes = 20});
  });
  EXPECT_EQ(fault.code, ErrorCode::bad_data);
  EXPECT_THAT(fault.message, StartsWith("line 7: not valid JSON"));
}

TEST(PipelineErrors, AReadFaultComesAfterTheChunksBeforeIt) {
  const std::string good = test::many_lines(200);
  const std::string bad = good + "canaryword\xff\n" + good;
  for (const unsigned threads : {1U, 3U}) {
    const auto format = make_format({});
    StringSink sink;
    BrokenSource source(good + "no line end");
    const auto fault = fault_of([&] {
      privatize_stream(source, sink, *format, test::copying_privatizer(), RandomSource::seeded_not_private(1),
                       {.threads = threads, .chunk_bytes = 1});
    });
    EXPECT_EQ(fault.message, "the source broke");
    EXPECT_EQ(sink.text, good);

    BrokenSource with_bad_line(bad);
    const auto earlier = fault_of([&] {
      run_stream(test::copying_privatizer(), {}, with_bad_line, {.threads = threads, .chunk_bytes = 64});
    });
    EXPECT_THAT(earlier.message, StartsWith("line 201: "));
  }
}

TEST(PipelineErrors, AFaultOfTheSinkStopsTheRun) {
  const auto format = make_format({});
  FullSink sink;
  const auto source = source_of_string(test::many_lines(2000));
  const auto fault = fault_of([&] {
    privatize_stream(*source, sink, *format, test::copying_privatizer(), RandomSource::seeded_not_private(1),
                     {.threads = 3, .chunk_bytes = 32});
  });
  EXPECT_EQ(fault.message, "the disk is full");
  EXPECT_EQ(sink.writes, 4);
}

TEST(PipelineErrors, OtherExceptionsOfWorkersComeThroughAsTheyAre) {
  const auto model = test::small_model();
  const Privatizer privatizer =
      test::rule_privatizer(model, [](WordId) -> WordId { throw std::bad_alloc(); });
  EXPECT_THROW(run_stream(privatizer, {}, "one\n", {.threads = 2}), std::bad_alloc);
}

TEST(PipelineErrors, ARecordOverTheLimitIsNamedByLine) {
  const std::string longest = std::string(99, 'a') + "\n";
  const std::string all_fit = "one\n" + longest + longest + std::string(100, 'b');
  const std::string one_too_long = "one\n" + longest + std::string(101, 'b');
  for (const std::size_t read : {1, 1000}) {
    for (const std::size_t chunk : {1, 50, 150, 1000}) {
      const StreamOptions options{.threads = 2, .chunk_bytes = chunk, .largest_record = 100};
      TrickleSource fits(all_fit, read);
      EXPECT_EQ(run_stream(test::copying_privatizer(), {}, fits, options).counts.documents, 4U);

      for (const std::string end : {"\n", "", "\ntwo\n"}) {
        TrickleSource too_long(one_too_long + end, read);
        const auto fault = fault_of([&] { run_stream(test::copying_privatizer(), {}, too_long, options); });
        EXPECT_EQ(fault.code, ErrorCode::bad_data);
        EXPECT_THAT(fault.message, StartsWith("line 3: "));
        EXPECT_THAT(fault.message, HasSubstr("100 bytes"));
      }
      // An open quote swallows the rest of the file, and blank lines may not pile up before a header.
      TrickleSource open_quote("a\n\"b\nc\"\n\"" + test::many_lines(40), read);
      const ReadingTexts csv{{"format", {"csv"}}, {"column", {"a"}}};
      const auto quote = fault_of([&] { run_stream(test::copying_privatizer(), csv, open_quote, options); });
      EXPECT_THAT(quote.message, StartsWith("line 4: "));
      TrickleSource blank(std::string(200, '\n') + "a\n", read);
      const auto lines = fault_of([&] { run_stream(test::copying_privatizer(), csv, blank, options); });
      EXPECT_THAT(lines.message, StartsWith("line 1: "));
    }
  }
}

TEST(PipelineErrors, UsageErrorsComeBeforeAnythingIsWritten) {
  const auto format = make_format(ReadingOptions::parse({{"format", {"csv"}}, {"column", {"review"}}}));
  StringSink sink;
  const auto source = source_of_string("id,text\n1,canaryword\n");
  const auto fault = fault_of([&] {
    privatize_stream(*source, sink, *format, test::copying_privatizer(), RandomSource::seeded_not_private(1),
                     {});
  });
  EXPECT_EQ(fault.code, ErrorCode::usage);
  EXPECT_THAT(fault.message, HasSubstr("the table has 2 columns"));
  EXPECT_EQ(sink.text, "");
}

}  // namespace
}  // namespace sotto
