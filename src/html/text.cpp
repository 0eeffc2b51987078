#include "html/text.h"

#include <fmt/format.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>

namespace sotto::html {
namespace {

constexpr UChar32 kReplacement = 0xFFFD;
constexpr int kDigits = 4;
constexpr double kThousand = 1000;
constexpr double kLargestPlain = 1e9;
constexpr double kSmallestPlain = 1e-4;

// What may stand in a page as it is. Everything else is shown as a replacement, not dropped: a word must not
// look like another one.
UChar32 harmless(UChar32 c) {
  if (c == '\t' || c == '\n' || c == '\r') return ' ';
  const bool bad = u_charType(c) == U_CONTROL_CHAR || u_charType(c) == U_SURROGATE ||
                   U_IS_UNICODE_NONCHAR(c) || u_hasBinaryProperty(c, UCHAR_BIDI_CONTROL) || c == 0x2028 ||
                   c == 0x2029;
  return bad ? kReplacement : c;
}

template <typename Visit>
void for_each_character(std::string_view text, Visit visit) {
  // Bad UTF-8 becomes U+FFFD here.
  const auto units = icu::UnicodeString::fromUTF8({text.data(), static_cast<std::int32_t>(text.size())});
  for (std::int32_t at = 0; at < units.length(); at = units.moveIndex32(at, 1))
    visit(harmless(units.char32At(at)));
}

void append_utf8(std::string& out, UChar32 c) {
  char bytes[U8_MAX_LENGTH];
  int length = 0;
  U8_APPEND_UNSAFE(bytes, length, c);
  out.append(bytes, static_cast<std::size_t>(length));
}

double width_in_ems(UChar32 c) {
  if (c < 128) {
    const std::string_view narrow = " ijlt.,:;'|!()[]fr-I/\\";
    const std::string_view broad = "mwMW@%";
    if (narrow.find(static_cast<char>(c)) != std::string_view::npos) return 0.34;
    if (broad.find(static_cast<char>(c)) != std::string_view::npos) return 0.9;
    return c >= 'A' && c <= 'Z' ? 0.68 : 0.57;
  }
  const auto type = u_charType(c);
  if (type == U_NON_SPACING_MARK || type == U_ENCLOSING_MARK || type == U_FORMAT_CHAR) return 0;
  const auto east_asian = u_getIntPropertyValue(c, UCHAR_EAST_ASIAN_WIDTH);
  return east_asian == U_EA_WIDE || east_asian == U_EA_FULLWIDTH ? 1.05 : 0.62;
}

// "1.234e-07" as 1.234e-7, and no zeros at the end of the mantissa.
std::string tidy_scientific(const std::string& text) {
  const std::size_t e = text.find('e');
  std::string mantissa = text.substr(0, e);
  if (mantissa.find('.') != std::string::npos) {
    mantissa.erase(mantissa.find_last_not_of('0') + 1);
    if (mantissa.back() == '.') mantissa.pop_back();
  }
  return short_exponent(mantissa + text.substr(e));
}

std::string without_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

// `value` has at most kDigits digits or is a whole number below kLargestPlain.
std::string rounded_text(double value) {
  const double size = std::abs(value);
  if (size >= kThousand && size < kLargestPlain) {
    return (value < 0 ? "-" : "") + count(static_cast<std::uint64_t>(std::llround(size)));
  }
  if (size < kSmallestPlain || size >= kLargestPlain) {
    return tidy_scientific(fmt::format("{:.{}e}", value, kDigits - 1));
  }
  const int before = size < 1 ? static_cast<int>(std::floor(std::log10(size))) + 1
                              : static_cast<int>(fmt::format("{:.0f}", std::floor(size)).size());
  return without_zeros(fmt::format("{:.{}f}", value, kDigits - before));
}

// The value of the last digit that number() shows.
double last_digit(double value) {
  const double size = std::abs(value);
  if (size >= kThousand && size < kLargestPlain) return 1;
  return std::pow(10.0, std::floor(std::log10(size)) - (kDigits - 1));
}

double read_back(std::string text) {
  std::erase(text, ',');
  return std::strtod(text.c_str(), nullptr);
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for_each_character(text, [&](UChar32 c) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        append_utf8(out, c);
    }
  });
  return out;
}

double text_width(std::string_view text, double font_size) {
  double ems = 0;
  for_each_character(text, [&](UChar32 c) { ems += width_in_ems(c); });
  return ems * font_size;
}

std::string shortened(std::string_view text, TextRoom room) {
  // Marks have no width of their own: a heap of them is cut by count.
  const double most_characters = std::max(1.0, 4 * room.width / room.font_size);
  const double room_in_ems = room.width / room.font_size;
  std::string whole;
  std::string start;
  double ems = 0;
  double characters = 0;
  for_each_character(text, [&](UChar32 c) {
    ems += width_in_ems(c);
    ++characters;
    append_utf8(whole, c);
    if (ems + 1 <= room_in_ems && characters < most_characters) append_utf8(start, c);
  });
  if (ems <= room_in_ems && characters <= most_characters) return whole;
  return start + "…";
}

std::string number(double value) {
  if (std::isnan(value)) return "none";
  if (std::isinf(value)) return value < 0 ? "-infinity" : "infinity";
  return value == 0 ? "0" : rounded_text(value);
}

std::string number_above(double value) {
  std::string text = number(value);
  if (!std::isfinite(value) || value == 0 || read_back(text) >= value) return text;
  return number(value + last_digit(value));
}

std::string short_exponent(std::string text) {
  const std::size_t e = text.find('e');
  std::string exponent = text.substr(e + 1);
  const bool is_negative = exponent.front() == '-';
  exponent.erase(0, std::min(exponent.find_first_not_of("+-0"), exponent.size() - 1));
  text.resize(e + 1);
  return text + (is_negative ? "-" : "") + exponent;
}

std::string count(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string coordinate(double value) {
  assert(std::isfinite(value));
  return without_zeros(fmt::format("{:.2f}", value));
}

std::string shell_line(std::span<const std::string> words) {
  const auto plain = [](const std::string& word) {
    const auto safe = [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
             std::string_view("-_./=:,+@%").find(c) != std::string_view::npos;
    };
    return !word.empty() && std::ranges::all_of(word, safe);
  };
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += ' ';
    if (plain(word)) {
      out += word;
      continue;
    }
    out += '\'';
    for (const char c : word) c == '\'' ? out += "'\\''" : out += c;
    out += '\'';
  }
  return out;
}

}  // namespace sotto::html
