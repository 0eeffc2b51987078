#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "html/axis.h"

namespace sotto::html::test {

inline constexpr auto kLogarithmic = Axis::Scale::logarithmic;

// Text that tries to get out of its place: markup, quotes, ends of attributes and comments, control
// characters, bad UTF-8, a noncharacter and a right-to-left override.
inline const std::string kHostile =
    "<script>alert(1)</script>\"'><img src=x "
    "onerror=alert(2)>--&]]>\x01\x7f\n\xff\xc0\xaf\xed\xa0\x80\xef\xbf\xbf\xe2\x80\xae";

inline std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// The values of an attribute, in the order of the text.
inline std::vector<std::string> values_of(const std::string& markup, const std::string& attribute) {
  const std::string start = " " + attribute + "=\"";
  std::vector<std::string> values;
  for (std::size_t at = markup.find(start); at != std::string::npos; at = markup.find(start, at)) {
    at += start.size();
    values.push_back(markup.substr(at, markup.find('"', at) - at));
  }
  return values;
}

inline std::vector<double> numbers_in(const std::string& text) {
  std::vector<double> numbers;
  for (std::size_t at = text.find_first_of("-0123456789"); at != std::string::npos;
       at = text.find_first_of("-0123456789", at)) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789.", at + 1), text.size());
    numbers.push_back(std::strtod(text.substr(at, end - at).c_str(), nullptr));
    at = end;
  }
  return numbers;
}

// Every coordinate is a number of at most two decimals that a renderer can take.
inline void expect_sound(const std::string& svg) {
  for (const char* attribute : {"d", "points", "x", "y", "width", "height", "viewBox"}) {
    for (const std::string& value : values_of(svg, attribute)) {
      EXPECT_FALSE(value.empty()) << attribute;
      EXPECT_EQ(value.find_first_not_of("-MLHVhvlaz0123456789., "), std::string::npos)
          << value.substr(0, 200);
      for (const double number : numbers_in(value)) {
        EXPECT_LT(std::abs(number), 20000) << attribute;
        EXPECT_NEAR(number * 100, std::round(number * 100), 1e-6) << attribute;
      }
    }
  }
  EXPECT_EQ(occurrences(svg, "<svg"), occurrences(svg, "</svg>"));
}

}  // namespace sotto::html::test
