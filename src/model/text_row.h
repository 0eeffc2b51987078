#pragma once
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace sotto {

// The number a field of a vectors file holds, rounded to the nearest float32; too small is 0. NaN and
// infinities are numbers here (the row is then refused as not finite); too large is nothing.
std::optional<float> parse_value(std::string_view field);

// A line of a text file split from its end: the longest run of numbers is the vector, what stands
// before it, spaces included, is the word. The first field is never part of the vector.
struct TextRow {
  std::string_view word;      // may be empty (a line that begins with a space)
  std::vector<float> vector;  // its capacity is reused

  void parse(std::string_view line);
};

// Only spaces and tabs.
bool is_blank(std::string_view line);

}  // namespace sotto
