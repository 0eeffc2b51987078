#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sotto {

// What 64 bytes of a text are, a bit for each (the first byte's is the lowest). Bytes beyond the end of the
// text have no bit.
struct WordBlock {
  std::uint64_t word = 0;     // ASCII letters and digits
  std::uint64_t special = 0;  // all others but clear ones (text/word_classes.h); all that is not ASCII
};

// Sets of ASCII bytes: bit h of word[l] is set if the byte 16 * h + l is a letter or a digit.
struct AsciiSets {
  alignas(16) std::array<std::uint8_t, 16> word{};
  alignas(16) std::array<std::uint8_t, 16> clear{};
};

// Block i of `out` is that of the bytes from 64 * i on. `out` keeps its memory from call to call.
void find_word_blocks(std::string_view text, std::vector<WordBlock>& out);

}  // namespace sotto
