#include "model/unicode.h"

#include <simdjson.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <cstdint>

namespace sotto {

bool is_valid_utf8(std::string_view text) {
  return simdjson::validate_utf8(text.data(), text.size());
}

bool is_alphabetic(std::string_view word) {
  // Bad UTF-8 becomes U+FFFD, which is no letter.
  const auto text = icu::UnicodeString::fromUTF8({word.data(), static_cast<std::int32_t>(word.size())});
  for (std::int32_t at = 0; at < text.length(); at = text.moveIndex32(at, 1)) {
    if (u_isalpha(text.char32At(at)) == 0) return false;
  }
  return !word.empty();
}

bool has_control_character(std::string_view valid_utf8) {
  unsigned char before = 0;
  for (const char character : valid_utf8) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x20 || byte == 0x7f) return true;
    if (before == 0xc2 && byte < 0xa0) return true;  // U+0080..U+009F
    before = byte;
  }
  return false;
}

}  // namespace sotto
