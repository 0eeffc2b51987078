#include "text/jsonl_scan.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cstddef>

#include "core/descriptor.h"
#include "text/eight_bytes.h"
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

constexpr std::string_view kAbsent = "is missing";

}  // namespace

JsonFieldScanner::JsonFieldScanner(std::span<const std::string> paths, MissingField missing)
    : paths_(paths), missing_(missing), states_(paths.size()) {}

std::span<const std::string_view> JsonFieldScanner::scan(std::string_view json, std::uint64_t line) {
  json_ = json;
  position_ = 0;
  line_ = line;
  found_.clear();
  top_keys_ = 0;
  std::fill(states_.begin(), states_.end(), PathState{});
  if (!simdjson::validate_utf8(json.data(), json.size())) throw bad_line(line, "not valid UTF-8");
  targets_.clear();
  steps_.clear();
  skip_blanks();
  const std::size_t start = position_;
  const bool is_record = peek() == '{' || peek() == '[';
  for (std::size_t i = 0; is_record && i < paths_.size(); ++i) targets_.push_back({i, paths_[i], false});
  value(0, {});
  const std::size_t end = position_;
  skip_blanks();
  check_line_ends(start, end);
  if (position_ != json_.size()) fail();
  if (!is_record) throw bad_line(line, "the record is not a JSON object, so it has no fields to choose");
  refuse_missing();
  return found_;
}

// Strings hold no raw carriage return, so every one stands in white space. Before and after the record it
// makes an empty line for those who end lines there, unless a second record follows.
void JsonFieldScanner::check_line_ends(std::size_t start, std::size_t end) const {
  const std::size_t last = position_ == json_.size() ? end : position_;
  if (json_.substr(start, last - start).find('\r') == std::string_view::npos) return;
  throw bad_line(line_,
                 "a carriage return (CR) inside the line; many readers end a line there. Give each record a "
                 "line of its own that ends with LF or CRLF");
}

void JsonFieldScanner::refuse_missing() const {
  if (missing_ == MissingField::pass) return;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (states_[i].missing.empty()) continue;
    throw bad_line(line_, fmt::format("the field '{}' must hold text; it {} (`missing-field` pass lets such "
                                      "records pass in clear)",
                                      shown(paths_[i]), states_[i].missing));
  }
}

bool JsonFieldScanner::is_absent(std::size_t path) const {
  return !states_[path].is_found && states_[path].missing == kAbsent;
}

bool JsonFieldScanner::has_missing_text() const {
  return std::any_of(states_.begin(), states_.end(),
                     [](const PathState& state) { return !state.missing.empty(); });
}

void JsonFieldScanner::fail() const {
  const bool goes_on = position_ == json_.size();
  throw bad_line(line_,
                 fmt::format("not valid JSON (byte {} of the line){}", position_ + 1,
                             goes_on ? "; the record is not complete, and must stand on one line: jq -c "
                                       "'.[]' FILE > NEW.jsonl does that for the records of an array"
                                     : ""));
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
      return object(first, depth);
    case '[':
      return array(first, depth);
    case '"':
      return note_string(first, string());
    case 'n':
      literal("null");
      return note_scalar(first, "holds null");
    case 't':
      literal("true");
      return note_scalar(first, "holds true or false, which would stay in clear");
    case 'f':
      literal("false");
      return note_scalar(first, "holds true or false, which would stay in clear");
    default:
      number();
      note_scalar(first, "holds a number, which would stay in clear");
  }
}

void JsonFieldScanner::object(std::size_t first, Depth depth) {
  const bool is_top = depth.objects == 0;
  depth.nesting += 1;
  depth.objects += 1;
  const std::size_t last = targets_.size();
  const std::size_t first_step = steps_.size();
  expect('{');
  skip_blanks();
  bool more = peek() != '}';
  while (more) {
    const std::string_view key = string();
    if (is_top) ++top_keys_;
    follow(key, first, last, first_step);
    skip_blanks();
    expect(':');
    skip_blanks();
    value(last, depth);
    targets_.resize(last);
    skip_blanks();
    more = peek() == ',';
    if (!more) break;
    expect(',');
    skip_blanks();
  }
  expect('}');
  note_unfollowed(first, last, first_step);
  steps_.resize(first_step);
}

void JsonFieldScanner::array(std::size_t first, Depth depth) {
  depth.nesting += 1;
  expect('[');
  skip_blanks();
  if (peek() == ']') {
    mark_found(first);
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
void JsonFieldScanner::follow(std::string_view raw_key, std::size_t first, std::size_t last,
                              std::size_t first_step) {
  if (first == last) return;
  std::string_view key = raw_key.substr(1, raw_key.size() - 2);
  std::optional<std::string> decoded;
  if (key.find('\\') != std::string_view::npos) {
    decoded = decode_json_string(raw_key);
    if (!decoded) return;  // half of a surrogate pair, which no path can hold
    key = *decoded;
  }
  for (std::size_t i = first; i < last; ++i) {
    const Target target = targets_[i];
    if (target.is_reached || !target.rest.starts_with(key)) continue;
    const bool is_end = target.rest.size() == key.size();
    if (!is_end && target.rest[key.size()] != '.') continue;
    for (std::size_t j = first_step; j < steps_.size(); ++j) {
      if (steps_[j].target != i || steps_[j].key_length != key.size()) continue;
      throw bad_line(line_,
                     fmt::format("a key of the field '{}' stands twice in one object, and readers differ in "
                                 "which one they take",
                                 shown(paths_[target.path])));
    }
    steps_.push_back({i, key.size()});
    targets_.push_back(
        {target.path, is_end ? std::string_view{} : target.rest.substr(key.size() + 1), is_end});
  }
}

void JsonFieldScanner::note_string(std::size_t first, std::string_view raw) {
  bool is_chosen = false;
  for (std::size_t i = first; i < targets_.size(); ++i) {
    if (targets_[i].is_reached) {
      states_[targets_[i].path].is_found = true;
      is_chosen = true;
    } else {
      note_missing(targets_[i].path, kAbsent);
    }
  }
  if (is_chosen) found_.push_back(raw);
}

void JsonFieldScanner::note_scalar(std::size_t first, std::string_view what) {
  for (std::size_t i = first; i < targets_.size(); ++i) {
    note_missing(targets_[i].path, targets_[i].is_reached ? what : kAbsent);
  }
}

// At the end of an object: a target that none of its keys continues has no text here.
void JsonFieldScanner::note_unfollowed(std::size_t first, std::size_t last, std::size_t first_step) {
  for (std::size_t i = first; i < last; ++i) {
    if (targets_[i].is_reached) {
      note_missing(targets_[i].path, "holds an object; choose the fields inside it, as `field` outer.inner");
      continue;
    }
    const auto is_step = [i](const Step& step) { return step.target == i; };
    if (std::none_of(steps_.begin() + static_cast<std::ptrdiff_t>(first_step), steps_.end(), is_step)) {
      note_missing(targets_[i].path, kAbsent);
    }
  }
}

void JsonFieldScanner::note_missing(std::size_t path, std::string_view what) {
  if (states_[path].missing.empty()) states_[path].missing = what;
}

void JsonFieldScanner::mark_found(std::size_t first) {
  for (std::size_t i = first; i < targets_.size(); ++i) states_[targets_[i].path].is_found = true;
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
    position_ += plain_json_length(json_.substr(position_));
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
