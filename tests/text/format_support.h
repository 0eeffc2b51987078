#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/error.h"
#include "text/format.h"
#include "text/pipeline_reader.h"

namespace sotto::test {

// A word that stands for private text in bad input: no message may hold it.
inline constexpr std::string_view kCanary = "canaryword";

// Gives its bytes in pieces of 1 to `largest`, of random length, the same for the same seed.
class TrickleSource final : public ByteSource {
 public:
  TrickleSource(std::string bytes, std::size_t largest, unsigned seed = 1)
      : bytes_(std::move(bytes)), random_(seed), length_(1, largest) {}
  std::size_t read(char* buffer, std::size_t capacity) override {
    const std::size_t count = std::min({length_(random_), capacity, bytes_.size() - position_});
    bytes_.copy(buffer, count, position_);
    position_ += count;
    return count;
  }
  [[nodiscard]] std::uint64_t consumed() const override { return position_; }
  [[nodiscard]] std::uint64_t total() const override { return bytes_.size(); }

 private:
  std::string bytes_;
  std::size_t position_ = 0;
  std::mt19937 random_;
  std::uniform_int_distribution<std::size_t> length_;
};

// `texts` with one more flag; none if it is empty.
inline ReadingTexts with_flag(ReadingTexts texts, const std::string& flag) {
  if (!flag.empty()) texts[flag] = {};
  return texts;
}

struct FormatRun {
  std::string output;
  std::vector<std::string> documents;
  std::vector<std::uint64_t> lines;
  std::vector<std::string> passed_through;
  std::vector<std::string> passed_names;
  std::vector<std::string> allowed_leaks;
  LayoutCounts layout;
};

using Replace = std::function<std::string(std::string_view)>;
inline std::string same(std::string_view text) {
  return std::string(text);
}

struct Cutting {
  std::size_t chunk_bytes = std::size_t{1} << 20;
  std::size_t read_bytes = std::size_t{1} << 20;
};

// The whole path of a file without the privatizer. Also checks that pieces cover each chunk.
inline FormatRun run_format(const ReadingTexts& options, const std::string& input,
                            const Replace& replace = same, Cutting cutting = {}) {
  const auto format = make_format(ReadingOptions::parse(options));
  TrickleSource source(input, cutting.read_bytes);
  ChunkReader reader(source, *format, {cutting.chunk_bytes, std::size_t{1} << 20});
  FormatRun run;
  ParsedChunk parsed;
  std::string chunk;
  while (const std::uint64_t line = reader.next(chunk)) {
    format->parse(chunk, line, parsed);
    std::string covered;
    for (const Piece& piece : parsed.pieces) {
      covered += piece.raw;
      if (piece.document == Piece::kCopied) {
        run.output += piece.raw;
      } else {
        format->append_document(piece.raw, replace(parsed.documents.at(piece.document)), run.output);
      }
    }
    EXPECT_EQ(covered, chunk);
    run.documents.insert(run.documents.end(), parsed.documents.begin(), parsed.documents.end());
    run.lines.insert(run.lines.end(), parsed.document_lines.begin(), parsed.document_lines.end());
    run.layout.add(parsed.layout);
  }
  format->check_end();
  run.passed_through = format->passed_through();
  run.passed_names = format->passed_names();
  run.allowed_leaks = format->allowed_leaks();
  return run;
}

struct Fault {
  ErrorCode code = ErrorCode::internal;
  std::string message;
  friend bool operator==(const Fault&, const Fault&) = default;
};

// What `action` throws; the canary must not be in it. A test fails if nothing is thrown.
inline Fault fault_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(std::string_view(error.what()).find(kCanary), std::string_view::npos) << error.what();
    return {error.code(), error.what()};
  }
  ADD_FAILURE() << "no error was thrown";
  return {};
}

inline Fault fault_of_format(const ReadingTexts& options, const std::string& input) {
  return fault_of([&] { run_format(options, input); });
}

// Ends of all whole records when the bytes come in pieces that end at `cuts` (ascending).
inline std::vector<std::size_t> record_ends(const ReadingTexts& options, std::string_view input,
                                            std::vector<std::size_t> cuts) {
  const auto format = make_format(ReadingOptions::parse(options));
  std::vector<std::size_t> ends;
  cuts.push_back(input.size());
  std::size_t at = 0;
  for (const std::size_t cut : cuts) {
    while (at < cut) {
      const std::size_t length = format->record_end(input.substr(at, cut - at));
      if (length == Format::kOpen) {
        at = cut;
      } else {
        at += length;
        ends.push_back(at);
      }
    }
  }
  return ends;
}

}  // namespace sotto::test
