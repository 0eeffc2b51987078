#include "text/words.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "text/folding.h"
#include "text/word_classes.h"

namespace sotto {

namespace {

constexpr bool is_ascii_space(char c) noexcept {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

constexpr bool joins_between(WordClass side, WordClass mid) noexcept {
  if (side == WordClass::letter) return mid == WordClass::mid_letter || mid == WordClass::mid_both;
  return side == WordClass::digit && (mid == WordClass::mid_digit || mid == WordClass::mid_both);
}

// Appends the tokens of `text`, which begins at byte `offset` of its document and is a stretch from one
// certain boundary to another. Reads code points by their classes until one needs ICU; then ICU splits the
// smaller stretch around it.
//
// A boundary is certain between ASCII white space and a code point that does not need ICU: by UAX 29 only
// code points that need ICU attach to white space, and no rule looks across it.
class StretchReader {
 public:
  StretchReader(std::string_view text, std::size_t offset, IcuWords& icu, DictionaryWords& dictionary,
                std::vector<Token>& out)
      : text_(text),
        offset_(offset),
        icu_(icu),
        dictionary_(dictionary),
        out_(out),
        kept_tokens_(out.size()) {}

  void read() {
    std::size_t at = 0;
    while (at < text_.size()) {
      const CodePoint c = code_point(at);
      switch (c.kind) {
        case WordClass::letter:
        case WordClass::digit:
        case WordClass::connector:
          at = read_word(at);
          break;
        case WordClass::symbol:
          append(at, at + c.length);
          at += c.length;
          break;
        case WordClass::dictionary:
          at = read_dictionary(at);
          break;
        case WordClass::needs_icu:
          at = read_by_icu(at);
          break;
        default:
          at += c.length;
      }
    }
  }

 private:
  struct CodePoint {
    WordClass kind;
    std::uint8_t length;  // in bytes
  };

  [[nodiscard]] CodePoint code_point(std::size_t at) const {
    const auto first = static_cast<unsigned char>(text_[at]);
    if (first < 0x80) return {ascii_[first], 1};
    const auto next = [&](std::size_t i) { return static_cast<unsigned char>(text_[at + i]) & 0x3FU; };
    if (first < 0xE0) return {WordClasses::of(((first & 0x1FU) << 6U) | next(1)), 2};
    if (first < 0xF0) return {WordClasses::of(((first & 0x0FU) << 12U) | (next(1) << 6U) | next(2)), 3};
    return {WordClasses::of(((first & 0x07U) << 18U) | (next(1) << 12U) | (next(2) << 6U) | next(3)), 4};
  }

  // Reads the segment that begins at `at`, and returns its end. Its token goes from the first letter or digit
  // to the last.
  std::size_t read_word(std::size_t at) {
    const std::size_t none = text_.size();
    std::size_t begin = none;
    std::size_t end = none;
    WordClass last = WordClass::clear;
    while (at < text_.size()) {
      const CodePoint c = code_point(at);
      if (c.kind == WordClass::letter || c.kind == WordClass::digit) {
        if (begin == none) begin = at;
        end = at + c.length;
      } else if (c.kind != WordClass::connector) {
        const std::size_t after = at + c.length;
        const bool joins =
            joins_between(last, c.kind) && after < text_.size() && code_point(after).kind == last;
        if (!joins) break;
      }
      at += c.length;
      last = c.kind;
    }
    if (begin != none) append(begin, end);
    return at;
  }

  // A run of Han and Kana begins at `at`. Returns its end, or that of the stretch that ICU split: a connector
  // joins with Katakana, and what needs ICU may belong to the run.
  std::size_t read_dictionary(std::size_t at) {
    const auto is_beside = [&](std::size_t place) {
      const WordClass kind = code_point(place).kind;
      return kind == WordClass::connector || kind == WordClass::needs_icu;
    };
    if (at > kept_ && is_beside(place_before(at))) return read_by_icu(at);
    std::size_t end = at;
    while (end < text_.size()) {
      const CodePoint c = code_point(end);
      if (c.kind != WordClass::dictionary) break;
      end += c.length;
    }
    if (end < text_.size() && is_beside(end)) return read_by_icu(at);
    dictionary_.split(text_.substr(at, end - at), static_cast<std::uint32_t>(offset_ + at), out_);
    return end;
  }

  // Where the code point before `at` begins.
  [[nodiscard]] std::size_t place_before(std::size_t at) const {
    do {
      --at;
    } while ((static_cast<unsigned char>(text_[at]) & 0xC0U) == 0x80);
    return at;
  }

  // The code point at `at` needs ICU. Returns the end of the stretch that was split.
  std::size_t read_by_icu(std::size_t at) {
    std::size_t begin = at;
    while (begin > kept_ && (begin == at || !is_ascii_space(text_[begin - 1]))) --begin;
    while (out_.size() > kept_tokens_ && out_.back().begin >= offset_ + begin) out_.pop_back();
    std::size_t end = at + 1;
    while (end < text_.size() &&
           !(is_ascii_space(text_[end - 1]) && code_point(end).kind != WordClass::needs_icu)) {
      ++end;
    }
    icu_.split(text_.substr(begin, end - begin), static_cast<std::uint32_t>(offset_ + begin), out_);
    kept_ = end;
    kept_tokens_ = out_.size();
    return end;
  }

  void append(std::size_t begin, std::size_t end) {
    out_.push_back({static_cast<std::uint32_t>(offset_ + begin), static_cast<std::uint32_t>(offset_ + end)});
  }

  std::string_view text_;
  std::size_t offset_;
  IcuWords& icu_;
  DictionaryWords& dictionary_;
  std::vector<Token>& out_;
  const std::array<WordClass, 128>& ascii_ = WordClasses::ascii();
  std::size_t kept_ = 0;     // the end of the last stretch that ICU split
  std::size_t kept_tokens_;  // tokens before it
};

// The first hard byte at or after `at`; the size of the text, or more, if there is none.
std::size_t next_hard(const std::vector<WordBlock>& blocks, std::size_t at) {
  for (std::size_t b = at / WordBlock::kBytes; b < blocks.size(); at = ++b * WordBlock::kBytes) {
    const std::uint64_t bits = blocks[b].hard >> (at % WordBlock::kBytes);
    if (bits != 0) return at + static_cast<std::size_t>(std::countr_zero(bits));
  }
  return at;
}

bool is_hard(const std::vector<WordBlock>& blocks, std::size_t at) {
  return (blocks[at / WordBlock::kBytes].hard >> (at % WordBlock::kBytes) & 1U) != 0;
}

}  // namespace

void WordBreaker::split(std::string_view text, std::vector<Token>& out) {
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw Error(ErrorCode::bad_data, "a document has " + std::to_string(text.size()) +
                                         " bytes; the most is 2147483647; split it into smaller ones");
  }
  if (text.empty()) return;
  // One huge document must not hold its memory for the life of the thread.
  constexpr std::size_t kKeptBlocks = std::size_t{1} << 16;
  if (blocks_.capacity() > kKeptBlocks) blocks_ = {};
  if (!find_word_blocks(text, blocks_)) return append_tokens(blocks_, 0, text.size() + 1, out);
  if (!simdjson::validate_utf8(text.data(), text.size())) {
    throw Error(ErrorCode::bad_data,
                "a document is not valid UTF-8; convert the file first, for example with "
                "iconv -f LATIN1 -t UTF-8");
  }
  std::size_t at = 0;  // the tokens before it are found; a certain boundary
  for (std::size_t hard = 0; (hard = next_hard(blocks_, at)) < text.size();) {
    std::size_t begin = hard;
    while (begin > at && (begin == hard || !is_ascii_space(text[begin - 1]))) --begin;
    std::size_t end = hard + 1;
    while (end < text.size() && !(is_ascii_space(text[end - 1]) && !is_hard(blocks_, end))) ++end;
    append_tokens(blocks_, at, begin, out);
    StretchReader(text.substr(begin, end - begin), begin, icu_, dictionary_, out).read();
    at = end;
  }
  if (at < text.size()) append_tokens(blocks_, at, text.size() + 1, out);
}

std::optional<std::string> importable_word(std::string_view raw) {
  if (!simdjson::validate_utf8(raw.data(), raw.size())) return std::nullopt;
  std::string folded = fold(raw);
  thread_local WordBreaker breaker;
  thread_local std::vector<Token> tokens;
  tokens.clear();
  breaker.split(folded, tokens);
  const bool is_whole = tokens.size() == 1 && tokens[0].begin == 0 && tokens[0].end == folded.size();
  if (!is_whole) return std::nullopt;
  return folded;
}

}  // namespace sotto
