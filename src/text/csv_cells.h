#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "text/format_pieces.h"

namespace sotto {

struct CsvCell {
  std::string_view raw;  // with its quotes
  bool is_quoted = false;
  bool has_doubled_quotes = false;
  bool ends_record = false;

  [[nodiscard]] std::string text() const;
  void add_to(PieceCutter& pieces, std::uint64_t line) const;
};

// Walks the cells of whole records. Throws Error(bad_data) with the line on broken quotes and on a CR outside
// quotes that no LF follows: many readers end a row there.
class CsvCursor {
 public:
  // `start` skips a byte order mark.
  CsvCursor(std::string_view records, std::size_t start, std::uint64_t line, char separator)
      : text_(records), position_(start), line_(line), separator_(separator) {}

  [[nodiscard]] bool at_end() const noexcept { return position_ == text_.size(); }
  [[nodiscard]] std::uint64_t line() const noexcept { return line_; }
  // Only at the start of a record.
  bool skip_blank_line();
  CsvCell next();

 private:
  CsvCell quoted_cell();
  CsvCell unquoted_cell();

  std::string_view text_;
  std::size_t position_;
  std::uint64_t line_;
  char separator_;
};

// Finds record ends in bytes that come in any pieces.
class CsvRecordScanner {
 public:
  explicit CsvRecordScanner(char separator) : separator_(separator) {}
  std::size_t record_end(std::string_view next);

 private:
  enum class State { cell_start, unquoted, quoted, quote_in_quoted };
  const char* skip_byte_order_mark(const char* at, const char* end);
  const char* walk_unquoted(const char* at, const char* stop);

  char separator_;
  State state_ = State::cell_start;
  std::size_t mark_bytes_ = 0;  // of the byte order mark seen so far; its length once that is settled
};

}  // namespace sotto
