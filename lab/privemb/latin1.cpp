#include "lab/privemb/latin1.h"

#include "model/unicode.h"

namespace sotto::lab {

std::string utf8_of(std::string_view line) {
  if (is_valid_utf8(line)) return std::string(line);
  std::string out;
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out += c;
    } else {
      out += static_cast<char>(0xC0U | (byte >> 6U));
      out += static_cast<char>(0x80U | (byte & 0x3FU));
    }
  }
  return out;
}

}  // namespace sotto::lab
