#include "model/text_row.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace sotto {
namespace {

constexpr std::string_view kSeparators = " \t";

}  // namespace

std::optional<float> parse_value(std::string_view field) {
  const char* const end = field.data() + field.size();
  float value = 0;
  const auto [stop, fault] = std::from_chars(field.data(), end, value);
  if (stop != end || fault == std::errc::invalid_argument) return std::nullopt;
  if (fault == std::errc::result_out_of_range) {
    double wide = 0;
    const auto wide_result = std::from_chars(field.data(), end, wide);
    if (wide_result.ec != std::errc{} || std::abs(wide) > 1) return std::nullopt;
    return static_cast<float>(wide);
  }
  return value;
}

void TextRow::parse(std::string_view line) {
  vector.clear();
  for (;;) {
    const std::size_t last = line.find_last_not_of(kSeparators);
    if (last == std::string_view::npos) break;
    const std::string_view rest = line.substr(0, last + 1);
    const std::size_t separator = rest.find_last_of(kSeparators);
    if (separator == std::string_view::npos) break;
    const std::optional<float> value = parse_value(rest.substr(separator + 1));
    if (!value) break;
    vector.push_back(*value);
    line = rest.substr(0, separator);
  }
  std::reverse(vector.begin(), vector.end());
  const std::size_t last = line.find_last_not_of(kSeparators);
  word = line.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(kSeparators) == std::string_view::npos;
}

}  // namespace sotto
