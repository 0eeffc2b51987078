#include <cstdint>
#include <string_view>

#include "text/eight_bytes.h"
#include "text/jsonl_scan.h"

namespace sotto {
namespace {

constexpr std::uint32_t kNotOne = 0xFFFFFFFF;

// The four hex digits of the \u escape at `at`, or kNotOne if there is no such escape.
std::uint32_t code_unit(std::string_view raw, std::size_t at) {
  if (raw.substr(at, 2) != "\\u" || raw.size() < at + 6) return kNotOne;
  std::uint32_t unit = 0;
  for (const char c : raw.substr(at + 2, 4)) {
    const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    unit = unit * 16 + static_cast<std::uint32_t>(digit);
  }
  return unit;
}

void append_utf8(std::uint32_t point, std::string& out) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | ((point >> shift) & 0x3F)); };
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += {static_cast<char>(0xC0 | (point >> 6)), tail(0)};
  } else if (point < 0x10000) {
    out += {static_cast<char>(0xE0 | (point >> 12)), tail(6), tail(0)};
  } else {
    out += {static_cast<char>(0xF0 | (point >> 18)), tail(12), tail(6), tail(0)};
  }
}

char simple_escape(char kind) {
  switch (kind) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return kind;  // quote, backslash, slash
  }
}

}  // namespace

std::optional<std::string> decode_json_string(std::string_view raw) {
  raw = raw.substr(1, raw.size() - 2);
  std::string text;
  text.reserve(raw.size());
  for (std::size_t at = 0; at < raw.size();) {
    if (raw[at] != '\\') {
      const std::size_t next = std::min(raw.find('\\', at), raw.size());
      text += raw.substr(at, next - at);
      at = next;
      continue;
    }
    if (raw[at + 1] != 'u') {
      text += simple_escape(raw[at + 1]);
      at += 2;
      continue;
    }
    std::uint32_t point = code_unit(raw, at);
    at += 6;
    if (point >= 0xD800 && point < 0xDC00) {
      const std::uint32_t low = code_unit(raw, at);
      if (low < 0xDC00 || low > 0xDFFF) return std::nullopt;
      point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
      at += 6;
    } else if (point >= 0xDC00 && point <= 0xDFFF) {
      return std::nullopt;
    }
    append_utf8(point, text);
  }
  return text;
}

void append_json_string(std::string_view text, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  while (!text.empty()) {
    const std::size_t plain = plain_json_length(text);
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const char c = text.front();
    text.remove_prefix(1);
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (const auto at = std::string_view("\b\f\n\r\t").find(c); at != std::string_view::npos) {
      out += {'\\', "bfnrt"[at]};
    } else {
      out += {'\\', 'u', '0', '0', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  out += '"';
}

}  // namespace sotto
