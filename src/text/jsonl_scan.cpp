#include "text/jsonl_scan.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cctype>

#include "text/format_pieces.h"

namespace sotto {
namespace {

// Recursion follows nesting; this many levels take well under 1 MB of stack.
constexpr std::size_t kDeepest = 512;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

}  // namespace

JsonFieldScanner::JsonFieldScanner(std::span<const std::string> paths) : paths_(paths), seen_(paths.size()) {}

std::span<const std::string_view> JsonFieldScanner::scan(std::string_view json, std::uint64_t line) {
  json_ = json;
  position_ = 0;
  line_ = line;
  found_.clear();
  top_keys_.clear();
  std::fill(seen_.begin(), seen_.end(), false);
  if (!simdjson::validate_utf8(json.data(), json.size())) throw bad_line(line, "not valid UTF-8");
  targets_.clear();
  for (std::size_t i = 0; i < paths_.size(); ++i) targets_.push_back({i, paths_[i], false});

  skip_blanks();
  const bool is_record = peek() == '{' || peek() == '[';
  value(0, {});
  skip_blanks();
  if (position_ != json_.size()) fail();
  if (!is_record) throw bad_line(line, "the record is not a JSON object, so it has no fields to choose");
  return found_;
}

void JsonFieldScanner::fail() const {
  throw bad_line(line_, fmt::format("not valid JSON (byte {} of the line)", position_ + 1));
}

void JsonFieldScanner::skip_blanks() {
  while (position_ < json_.size()) {
    const char c = json_[position_];
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') break;
    ++position_;
  }
}

void JsonFieldScanner::expect(char c) {
  if (peek() != c) fail();
  ++position_;
}

void JsonFieldScanner::value(std::size_t first, Depth depth) {
  if (depth.nesting > kDeepest)
    throw bad_line(line_, fmt::format("JSON nested deeper than {} levels", kDeepest));
  switch (peek()) {
    case '{':
      refuse_if_reached(first, "an object; choose the fields inside it, as --field outer.inner");
      return object(first, depth);
    case '[':
      return array(first, depth);
    case '"':
      return note_string(first, string());
    case 'n':
      mark_seen(first);
      return literal("null");
    case 't':
      refuse_if_reached(first, "true or false, which would stay in clear");
      return literal("true");
    case 'f':
      refuse_if_reached(first, "true or false, which would stay in clear");
      return literal("false");
    default:
      number();
      refuse_if_reached(first, "a number, which would stay in clear");
  }
}

void JsonFieldScanner::object(std::size_t first, Depth depth) {
  const bool is_top = depth.objects == 0;
  depth.nesting += 1;
  depth.objects += 1;
  expect('{');
  skip_blanks();
  if (peek() == '}') return expect('}');
  const std::size_t last = targets_.size();
  while (true) {
    const std::string_view key = string();
    if (is_top) top_keys_.push_back(key);
    follow(key, first, last);
    skip_blanks();
    expect(':');
    skip_blanks();
    value(last, depth);
    targets_.resize(last);
    skip_blanks();
    if (peek() == '}') return expect('}');
    expect(',');
    skip_blanks();
  }
}

void JsonFieldScanner::array(std::size_t first, Depth depth) {
  depth.nesting += 1;
  expect('[');
  skip_blanks();
  if (peek() == ']') {
    mark_seen(first);
    return expect(']');
  }
  while (true) {
    value(first, depth);
    skip_blanks();
    if (peek() == ']') return expect(']');
    expect(',');
    skip_blanks();
  }
}

// A name may hold dots itself, so "a.b" matches both a name "a.b" and b inside a.
void JsonFieldScanner::follow(std::string_view raw_key, std::size_t first, std::size_t last) {
  if (first == last) return;
  std::string_view key = raw_key.substr(1, raw_key.size() - 2);
  std::optional<std::string> decoded;
  if (key.find('\\') != std::string_view::npos) {
    decoded = decode_json_string(raw_key);
    if (!decoded) return;
    key = *decoded;
  }
  for (std::size_t i = first; i < last; ++i) {
    const Target target = targets_[i];
    if (!target.rest.starts_with(key)) continue;  // a reached target is never here: objects are refused
    if (target.rest.size() == key.size()) {
      targets_.push_back({target.path, {}, true});
    } else if (target.rest[key.size()] == '.') {
      targets_.push_back({target.path, target.rest.substr(key.size() + 1), false});
    }
  }
}

void JsonFieldScanner::note_string(std::size_t first, std::string_view raw) {
  bool is_chosen = false;
  for (std::size_t i = first; i < targets_.size(); ++i) {
    if (!targets_[i].is_reached) continue;
    seen_[targets_[i].path] = true;
    is_chosen = true;
  }
  if (is_chosen) found_.push_back(raw);
}

void JsonFieldScanner::mark_seen(std::size_t first) {
  for (std::size_t i = first; i < targets_.size(); ++i) seen_[targets_[i].path] = true;
}

void JsonFieldScanner::refuse_if_reached(std::size_t first, std::string_view what) const {
  for (std::size_t i = first; i < targets_.size(); ++i) {
    if (targets_[i].is_reached) {
      throw bad_line(
          line_, fmt::format("the field '{}' must hold text; it holds {}", paths_[targets_[i].path], what));
    }
  }
}

void JsonFieldScanner::literal(std::string_view word) {
  if (!json_.substr(position_).starts_with(word)) fail();
  position_ += word.size();
}

void JsonFieldScanner::digits() {
  if (!is_digit(peek())) fail();
  while (is_digit(peek())) ++position_;
}

void JsonFieldScanner::number() {
  if (peek() == '-') ++position_;
  if (peek() == '0') {
    ++position_;
  } else {
    digits();
  }
  if (peek() == '.') {
    ++position_;
    digits();
  }
  if (peek() == 'e' || peek() == 'E') {
    ++position_;
    if (peek() == '+' || peek() == '-') ++position_;
    digits();
  }
}

std::string_view JsonFieldScanner::string() {
  const std::size_t start = position_;
  expect('"');
  while (true) {
    while (position_ < json_.size() && json_[position_] != '"' && json_[position_] != '\\' &&
           static_cast<unsigned char>(json_[position_]) >= 0x20) {
      ++position_;
    }
    if (peek() != '\\') break;
    escape();
  }
  expect('"');
  return json_.substr(start, position_ - start);
}

void JsonFieldScanner::escape() {
  expect('\\');
  const char kind = peek();
  if (kind == '\0' || std::string_view("\"\\/bfnrtu").find(kind) == std::string_view::npos) fail();
  ++position_;
  if (kind != 'u') return;
  for (int i = 0; i < 4; ++i, ++position_) {
    if (!is_hex(peek())) fail();
  }
}

}  // namespace sotto
