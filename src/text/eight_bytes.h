#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

// Eight bytes of text at a time, in one register.
namespace sotto {

static_assert(std::endian::native == std::endian::little, "the first byte is the lowest");

inline constexpr std::uint64_t kOnes = 0x0101010101010101U;
inline constexpr std::uint64_t kHighBits = 0x80 * kOnes;

// The high bit of each byte below `limit`, which is at most 128. Bytes above the lowest one that is below it
// may have the bit too: the lowest bit is right, and whether there is any.
constexpr std::uint64_t bytes_below(std::uint64_t bytes, std::uint64_t limit) {
  return (bytes - limit * kOnes) & ~bytes & kHighBits;
}

constexpr bool has_zero_byte(std::uint64_t bytes) {
  return bytes_below(bytes, 1) != 0;
}

// How many bytes of `text` come before the first quote, backslash or control character: those that stand for
// themselves in a JSON string.
inline std::size_t plain_json_length(std::string_view text) {
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    const std::uint64_t special =
        bytes_below(bytes ^ '"' * kOnes, 1) | bytes_below(bytes ^ '\\' * kOnes, 1) | bytes_below(bytes, 0x20);
    if (special != 0) return at + static_cast<std::size_t>(std::countr_zero(special)) / 8;
  }
  while (at < text.size() && text[at] != '"' && text[at] != '\\' &&
         static_cast<unsigned char>(text[at]) >= 0x20) {
    ++at;
  }
  return at;
}

}  // namespace sotto
