#pragma once
#include <string_view>

namespace sotto {

bool is_valid_utf8(std::string_view text);
// Every code point has general category L; valid UTF-8 and not empty.
bool is_alphabetic(std::string_view word);
// A C0 or C1 control character: such a word or name could drive the terminal that shows it.
bool has_control_character(std::string_view valid_utf8);

}  // namespace sotto
