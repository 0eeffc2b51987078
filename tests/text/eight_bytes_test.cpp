#include "text/eight_bytes.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace sotto {
namespace {

// Against a look at each byte. Bytes around the limits (0x1F, 0x20, quote, backslash, 0x7F to 0xFF) at every
// place, since a subtraction of eight bytes at once carries from byte to byte.
TEST(EightBytes, FindTheFirstByteThatJsonEscapes) {
  std::mt19937 random(5);
  const std::string near = std::string("\0\x01\x1F !\"#[\\]\x7F\x80\xA0\xA2\xDC\xFF", 16);
  for (int i = 0; i < 200'000; ++i) {
    std::string text(random() % 27, 'a');
    for (std::size_t changes = random() % 4; changes > 0 && !text.empty(); --changes)
      text[random() % text.size()] = near[random() % near.size()];
    std::size_t expected = 0;
    while (expected < text.size() && text[expected] != '"' && text[expected] != '\\' &&
           static_cast<unsigned char>(text[expected]) >= 0x20) {
      ++expected;
    }
    ASSERT_EQ(plain_json_length(text), expected) << testing::PrintToString(text);
  }
}

}  // namespace
}  // namespace sotto
