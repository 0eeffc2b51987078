#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sotto {

// The text of a JSON string given with its quotes and free of syntax errors; empty if an escape is half
// of a surrogate pair, which no UTF-8 text can hold.
std::optional<std::string> decode_json_string(std::string_view raw);

// Appends text as a JSON string: quote, backslash and control characters escaped, the rest as UTF-8.
void append_json_string(std::string_view text, std::string& out);

// Checks one JSON text against RFC 8259 and finds the strings at chosen paths. Written by hand because
// it must return where each string lies, accept numbers of any size, see every repeated key, and quote
// nothing in its messages; the libraries we have each fail at one of these. One per thread.
class JsonFieldScanner {
 public:
  // `paths` outlives the scanner.
  explicit JsonFieldScanner(std::span<const std::string> paths);

  // Raw strings, with their quotes, at the paths in `json`, in order; valid until the next call. Throws
  // Error(bad_data) with `line` on broken JSON or UTF-8, on a record that is neither object nor array,
  // and on a chosen field that holds something other than text: it would stay in clear.
  std::span<const std::string_view> scan(std::string_view json, std::uint64_t line);

  // Of the last record: whether the field is there, or may be below an empty array or null.
  [[nodiscard]] bool has_field(std::size_t path) const { return seen_[path]; }
  // Of the last record: raw keys of the top level, or of the objects in its top-level array.
  [[nodiscard]] std::span<const std::string_view> top_keys() const { return top_keys_; }

 private:
  // A path being followed. `is_reached`: the value is what was chosen, else `rest` is to be matched below.
  struct Target {
    std::size_t path;
    std::string_view rest;
    bool is_reached;
  };
  struct Depth {
    std::size_t nesting = 0;  // of objects and arrays
    std::size_t objects = 0;
  };
  // Targets are targets_[first, end): those of inner values are pushed behind them.
  void value(std::size_t first, Depth depth);
  void object(std::size_t first, Depth depth);
  void array(std::size_t first, Depth depth);
  void follow(std::string_view raw_key, std::size_t first, std::size_t last);
  void number();
  void literal(std::string_view word);
  std::string_view string();
  void escape();
  void digits();

  void note_string(std::size_t first, std::string_view raw);
  void refuse_if_reached(std::size_t first, std::string_view what) const;
  void mark_seen(std::size_t first);
  void skip_blanks();
  [[nodiscard]] char peek() const { return position_ < json_.size() ? json_[position_] : '\0'; }
  void expect(char c);
  [[noreturn]] void fail() const;

  std::span<const std::string> paths_;
  std::string_view json_;
  std::size_t position_ = 0;
  std::uint64_t line_ = 0;
  std::vector<Target> targets_;
  std::vector<bool> seen_;
  std::vector<std::string_view> found_;
  std::vector<std::string_view> top_keys_;
};

}  // namespace sotto
