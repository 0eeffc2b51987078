#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace sotto::lab {

// The first words of a text, each a run of ASCII letters, with a space between. Tags in angle brackets and
// addresses of the web (from "http" to the next space) count as spaces. 0: all words.
std::string letter_words(std::string_view text, std::size_t most);

}  // namespace sotto::lab
