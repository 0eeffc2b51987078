#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/token.h"

namespace sotto {

// 64 bytes of a text, one bit for each byte; the first byte has the lowest bit.
//
// Tokens are those of text/words.h. `starts` and `ends` hold for stretches of the text without hard bytes;
// such a stretch begins and ends at a certain word boundary (text/words.cpp).
struct WordBlock {
  static constexpr std::size_t kBytes = 64;

  std::uint64_t starts = 0;  // first bytes of tokens
  std::uint64_t ends = 0;    // bytes that follow a token's last byte
  std::uint64_t hard = 0;    // not ASCII, or of class `connector` or `needs_icu` (text/word_classes.h)
  bool operator==(const WordBlock&) const = default;
};

// Finds the blocks of `text`, and returns whether a byte is hard. Block i holds the bytes from 64 * i on.
// There are text.size() / 64 + 1 blocks, so that the end of the last token always has a bit. Bytes beyond the
// text have no bit in `starts` and `hard`.
bool find_word_blocks(std::string_view text, std::vector<WordBlock>& blocks);

// Appends the tokens that begin in [begin, end) to `out`. No token may contain the byte before `begin` and
// the byte at `begin`, and the same for `end`; `end` is at most the size of the text plus 1.
void append_tokens(const std::vector<WordBlock>& blocks, std::size_t begin, std::size_t end,
                   std::vector<Token>& out);

// append_tokens() writes so many tokens at a time, and removes what it wrote too much.
inline constexpr std::size_t kSpareTokens = 8;

// Sets of ASCII bytes, as SIMD registers look them up: bit h of set[l] says whether the byte 16 * h + l is in
// the set.
struct AsciiSets {
  using Set = std::array<std::uint8_t, 16>;
  alignas(16) Set letter{};
  alignas(16) Set digit{};
  alignas(16) Set symbol{};
  alignas(16) Set mid_letter{};  // joins two letters; mid_both is in both sets
  alignas(16) Set mid_digit{};   // joins two digits
  alignas(16) Set clear{};
};

}  // namespace sotto
