#pragma once
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace sotto {

inline std::string to_utf8(char32_t c) {
  std::uint8_t bytes[U8_MAX_LENGTH];
  std::int32_t length = 0;
  U8_APPEND_UNSAFE(bytes, length, static_cast<UChar32>(c));
  return {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length)};
}

// The code point at `at` of valid UTF-8; moves `at` past it.
inline char32_t read_utf8(std::string_view text, std::size_t& at) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  UChar32 c = 0;
  U8_NEXT_UNSAFE(bytes, at, c);
  return static_cast<char32_t>(c);
}

// docs/specification.md section 8, straight from the property tables: the only code points left in clear.
inline bool may_stay_clear(char32_t c) {
  const auto code = static_cast<UChar32>(c);
  return u_hasBinaryProperty(code, UCHAR_WHITE_SPACE) != 0 || u_ispunct(code) != 0;
}

// Random text that is rich in what word breaking treats specially.
inline std::string random_text(std::mt19937_64& random, std::size_t longest) {
  static const std::vector<char32_t> kTraps = {
      ' ',     '\n',    '\r',   '\t',   0x85,   0xA0,    0x202F,  0x2028,  0x3000,  '.',      ',',
      '\'',    '"',     '_',    '-',    '@',    '#',     '$',     '<',     '>',     '&',      ';',
      'a',     'B',     'x',    '0',    '9',    0x0,     0x1,     0x1F,    0x7F,    0xAD,     0x200B,
      0x200C,  0x200D,  0x2060, 0xFEFF, 0xFE0F, 0x20E3,  0x301,   0x345,   0x308,   0x5D0,    0x5F4,
      0xE01,   0x4E2D,  0x3042, 0x30A2, 0x30FC, 0x1F468, 0x1F469, 0x1F3FD, 0x1F1EB, 0x1F1F7,  0xE000,
      0xE0067, 0xE007F, 0x378,  0xFFFE, 0xFFFF, 0x2019,  0x2018,  0xFF07,  0x1D400, 0x10FFFF, 0x66B};
  const std::size_t length = random() % (longest + 1);
  std::string text;
  for (std::size_t i = 0; i < length; ++i) {
    char32_t c = kTraps[random() % kTraps.size()];
    if (random() % 4 == 0) c = static_cast<char32_t>(random() % 0x110000);
    if (c >= 0xD800 && c <= 0xDFFF) c = 0xE001;
    text += to_utf8(c);
  }
  return text;
}

}  // namespace sotto
