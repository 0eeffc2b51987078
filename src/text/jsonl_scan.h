#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/format.h"

namespace sotto {

// The text of a JSON string given with its quotes and free of syntax errors; empty if an escape is half
// of a surrogate pair, which no UTF-8 text can hold.
std::optional<std::string> decode_json_string(std::string_view raw);

// Appends text as a JSON string: quote, backslash and control characters escaped, the rest as UTF-8.
void append_json_string(std::string_view text, std::string& out);

// What happens to records without text at a chosen field.
enum class MissingField { refuse, pass };

// Checks one JSON text against RFC 8259 and finds the strings at chosen paths. Written by hand because
// it must return where each string lies, accept numbers of any size, see every repeated key, and quote
// nothing in its messages; the libraries we have each fail at one of these. One per thread.
//
// A path leads through objects by their keys and through arrays to all their elements. Every place that it
// leads to must hold a string, or an array of strings (of any depth, also empty: an empty array holds nothing
// that could stay in clear). Anything else is a missing text: an object without the key, a value on the way
// that is neither object nor array, null, a number, true, false, an object at the end.
class JsonFieldScanner {
 public:
  // `paths` outlives the scanner. `missing`: whether a missing text is an error of scan().
  JsonFieldScanner(std::span<const std::string> paths, MissingField missing);

  // Raw strings, with their quotes, at the paths in `json`, in order; valid until the next call. Throws
  // Error(bad_data) with `line` on broken JSON or UTF-8, on a record that is neither object nor array, on a
  // carriage return inside the record, where many readers end a line, and on a key that stands twice in one
  // object if a path leads through it: readers differ in which of the two they take.
  std::span<const std::string_view> scan(std::string_view json, std::uint64_t line);

  // Of the last record: whether the path led to a text or to an empty array somewhere.
  [[nodiscard]] bool has_field(std::size_t path) const { return states_[path].is_found; }
  // Of the last record: whether the path led nowhere, rather than to a value that is no text.
  [[nodiscard]] bool is_absent(std::size_t path) const;
  // Of the last record: whether a text is missing at any path.
  [[nodiscard]] bool has_missing_text() const;
  // Of the last record: how many keys its object has, or the objects in its top-level array together.
  [[nodiscard]] std::size_t top_keys() const { return top_keys_; }

 private:
  // A path being followed. `is_reached`: the value is what was chosen, else `rest` is to be matched below.
  struct Target {
    std::size_t path;
    std::string_view rest;
    bool is_reached;
  };
  // A key of the current object that a target follows. Two keys of one length that begin the same `rest` are
  // the same key, so the length identifies it.
  struct Step {
    std::size_t target;
    std::size_t key_length;
  };
  struct PathState {
    bool is_found = false;
    std::string_view missing = {};  // why the first missing text is none; empty: none is missing
  };
  struct Depth {
    std::size_t nesting = 0;  // of objects and arrays
    std::size_t objects = 0;
  };
  // Targets are targets_[first, end): those of inner values are pushed behind them.
  void value(std::size_t first, Depth depth);
  void object(std::size_t first, Depth depth);
  void array(std::size_t first, Depth depth);
  void follow(std::string_view raw_key, std::size_t first, std::size_t last, std::size_t first_step);
  void number();
  void literal(std::string_view word);
  std::string_view string();
  void escape();
  void digits();

  void note_string(std::size_t first, std::string_view raw);
  void note_scalar(std::size_t first, std::string_view what);
  void note_unfollowed(std::size_t first, std::size_t last, std::size_t first_step);
  void note_missing(std::size_t path, std::string_view what);
  void mark_found(std::size_t first);
  void check_line_ends(std::size_t start, std::size_t end) const;
  void refuse_missing() const;
  void skip_blanks();
  [[nodiscard]] char peek() const { return position_ < json_.size() ? json_[position_] : '\0'; }
  void expect(char c);
  [[noreturn]] void fail() const;

  std::span<const std::string> paths_;
  MissingField missing_;
  std::string_view json_;
  std::size_t position_ = 0;
  std::uint64_t line_ = 0;
  std::vector<Target> targets_;
  std::vector<Step> steps_;  // of the objects that are open, the innermost last
  std::vector<PathState> states_;
  std::vector<std::string_view> found_;
  std::size_t top_keys_ = 0;
};

}  // namespace sotto
