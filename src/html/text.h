#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sotto::html {

// Text as content of an element or of a quoted attribute, in HTML and in XML alike. Words and file names come
// from outside: bad UTF-8, control characters, noncharacters and the marks that reverse the direction
// of the text around them become U+FFFD; line ends and tabs become spaces.
std::string escaped(std::string_view text);

// A guess at the width in pixels of a usual sans-serif face; the reader's own face is not known.
double text_width(std::string_view text, double font_size);

struct TextRoom {
  double width = 0;
  double font_size = 12;
};
// The text, or as much of its start as fits with an ellipsis after it. Not escaped.
std::string shortened(std::string_view text, TextRoom room);

// Four digits, "50,000" from a thousand on, "1.234e-7" at the extremes; "none" for NaN, else "infinity".
std::string number(double value);
// As number(), but never below the value: for upper bounds, which must not look tighter than they are.
std::string number_above(double value);
std::string count(std::uint64_t value);
// "1.5e-07", as printf writes it, as "1.5e-7"; "2e+09" as "2e9".
std::string short_exponent(std::string text);

// A coordinate of an SVG: two decimals at most, none written that are 0. `value` is finite.
std::string coordinate(double value);

// A command as one could type it into a POSIX shell. It shows all arguments, so the caller leaves out what
// the report must not tell.
std::string shell_line(std::span<const std::string> words);

}  // namespace sotto::html
