#include "text/words.h"

#include <simdjson.h>
#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/normalizer2.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <span>

#include "text/word_classes.h"

namespace sotto {

namespace {

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string nfc(const std::string& text) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* normaliser = icu::Normalizer2::getNFCInstance(status);
  check_icu(status, "load its normalisation data");
  std::string result;
  icu::StringByteSink<std::string> sink(&result, static_cast<std::int32_t>(text.size()));
  normaliser->normalizeUTF8(0, text, sink, nullptr, status);
  check_icu(status, "normalise a word");
  return result;
}

std::string case_fold(const std::string& text) {
  UErrorCode status = U_ZERO_ERROR;
  std::string result;
  icu::StringByteSink<std::string> sink(&result, static_cast<std::int32_t>(text.size()));
  icu::CaseMap::utf8Fold(U_FOLD_CASE_DEFAULT, text, sink, nullptr, status);
  check_icu(status, "fold the case of a word");
  return result;
}

void straighten_apostrophes(std::string& text) {
  // U+2018, U+2019, U+02BC as UTF-8.
  for (const std::string_view curly : {"\xE2\x80\x98", "\xE2\x80\x99", "\xCA\xBC"}) {
    for (auto at = text.find(curly); at != std::string::npos; at = text.find(curly, at + 1)) {
      text.replace(at, curly.size(), 1, '\'');
    }
  }
}

constexpr bool is_ascii_space(char c) noexcept {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

constexpr bool is_mid(WordClass kind) noexcept {
  return kind == WordClass::mid_letter || kind == WordClass::mid_digit || kind == WordClass::mid_both;
}

constexpr bool joins_between(WordClass side, WordClass mid) noexcept {
  if (side == WordClass::letter) return mid == WordClass::mid_letter || mid == WordClass::mid_both;
  return side == WordClass::digit && (mid == WordClass::mid_digit || mid == WordClass::mid_both);
}

// Appends the tokens of a text. Reads code points by their classes until one needs ICU; then ICU splits the
// stretch around it, from one certain boundary to the next.
//
// A boundary is certain between ASCII white space and a code point that does not need ICU: by UAX 29 only
// code points that need ICU attach to white space, and no rule looks across it.
class StretchReader {
 public:
  StretchReader(std::string_view text, std::span<const WordBlock> blocks, IcuWords& icu,
                std::vector<Token>& out)
      : text_(text), blocks_(blocks), icu_(icu), out_(out), kept_tokens_(out.size()) {}

  void read() {
    for (std::size_t at = next_of_interest(0); at < text_.size(); at = next_of_interest(at)) {
      if (const std::size_t end = end_of_plain_word(at); end > at) {
        append(at, end);
        at = end;
        continue;
      }
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

  // The first byte from `at` on that is not clear; the size of the text, or more, if there is none.
  [[nodiscard]] std::size_t next_of_interest(std::size_t at) const {
    for (std::size_t b = at / kBlock; b < blocks_.size(); ++b, at = b * kBlock) {
      const std::uint64_t bits = (blocks_[b].word | blocks_[b].special) >> (at % kBlock);
      if (bits != 0) return at + static_cast<std::size_t>(std::countr_zero(bits));
    }
    return text_.size();
  }

  // If ASCII letters and digits alone begin at `at`, and what follows them does not join them to more: their
  // end. Else `at`.
  [[nodiscard]] std::size_t end_of_plain_word(std::size_t at) const {
    std::size_t end = at;
    for (std::size_t b = at / kBlock; b < blocks_.size(); ++b, end = b * kBlock) {
      const std::uint64_t others = ~blocks_[b].word >> (end % kBlock);
      if (others == 0) continue;
      end += static_cast<std::size_t>(std::countr_zero(others));
      break;
    }
    if (end >= text_.size()) return text_.size();
    if (!is_special(end)) return end;
    // Most often a comma or a full stop before a space.
    const auto follower = static_cast<unsigned char>(text_[end]);
    const bool may_join =
        follower >= 0x80 || !is_mid(ascii_[follower]) || (end + 1 < text_.size() && !is_clear(end + 1));
    return may_join ? at : end;
  }

  [[nodiscard]] bool is_special(std::size_t at) const {
    return (blocks_[at / kBlock].special >> (at % kBlock) & 1U) != 0;
  }
  [[nodiscard]] bool is_clear(std::size_t at) const {
    const WordBlock& block = blocks_[at / kBlock];
    return ((block.word | block.special) >> (at % kBlock) & 1U) == 0;
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

  // The code point at `at` needs ICU. Returns the end of the stretch that was split.
  std::size_t read_by_icu(std::size_t at) {
    std::size_t begin = at;
    while (begin > kept_ && (begin == at || !is_ascii_space(text_[begin - 1]))) --begin;
    while (out_.size() > kept_tokens_ && out_.back().begin >= begin) out_.pop_back();
    std::size_t end = at + 1;
    while (end < text_.size() &&
           !(is_ascii_space(text_[end - 1]) && code_point(end).kind != WordClass::needs_icu)) {
      ++end;
    }
    icu_.split(text_.substr(begin, end - begin), static_cast<std::uint32_t>(begin), out_);
    kept_ = end;
    kept_tokens_ = out_.size();
    return end;
  }

  void append(std::size_t begin, std::size_t end) {
    out_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
  }

  static constexpr std::size_t kBlock = 64;

  std::string_view text_;
  std::span<const WordBlock> blocks_;
  IcuWords& icu_;
  std::vector<Token>& out_;
  const std::array<WordClass, 128>& ascii_ = WordClasses::ascii();
  std::size_t kept_ = 0;     // the end of the last stretch that ICU split
  std::size_t kept_tokens_;  // tokens before it
};

}  // namespace

void WordBreaker::split(std::string_view text, std::vector<Token>& out) {
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw Error(ErrorCode::bad_data, "a document has " + std::to_string(text.size()) +
                                         " bytes; the most is 2147483647; split it into smaller ones");
  }
  if (text.empty()) return;
  if (!simdjson::validate_utf8(text.data(), text.size())) {
    throw Error(ErrorCode::bad_data,
                "a document is not valid UTF-8; convert the file first, for example with "
                "iconv -f LATIN1 -t UTF-8");
  }
  find_word_blocks(text, blocks_);
  StretchReader(text, blocks_, icu_, out).read();
}

std::string fold(std::string_view word) {
  std::string result(word);
  if (is_ascii(word)) {
    std::transform(result.begin(), result.end(), result.begin(), fold_ascii);
    return result;
  }
  result = nfc(case_fold(nfc(result)));
  straighten_apostrophes(result);
  return result;
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
