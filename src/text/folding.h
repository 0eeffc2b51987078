#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sotto {

// fold() of one ASCII character; ASCII needs no more than this.
constexpr char fold_ascii(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Public folding of one word: NFC, default case folding, NFC again, curly apostrophes (U+2018, U+2019,
// U+02BC) to '. Valid UTF-8 in and out.
std::string fold(std::string_view word);

// fold() without allocation, for most words: writes the folded word to `out` and returns its size. Empty if
// `out` may be too small or the word needs ICU; `out` then holds nothing of use. `word` is valid UTF-8.
std::optional<std::size_t> fold_simple(std::string_view word, std::span<char> out);

}  // namespace sotto
