#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "text/format.h"
#include "text/format_pieces.h"

namespace sotto {

// Which columns of a table are documents.
class ColumnChoice {
 public:
  ColumnChoice(std::vector<std::string> wanted, TableHeader header);

  // `first_row` holds the names, or just the first cells without a header. A wanted text is a name if
  // the header has it, else a 1-based number. Throws Error(usage) that lists the columns.
  void resolve(std::vector<std::string> first_row);

  [[nodiscard]] bool has_header() const noexcept { return header_ != TableHeader::absent; }
  [[nodiscard]] const std::vector<std::size_t>& chosen() const noexcept { return chosen_; }
  // A row ended after `cells` cells. Throws Error(bad_data) if a chosen one is missing, or if there are more
  // than in the first row.
  void check_row(std::size_t cells, std::uint64_t line) const;
  [[nodiscard]] std::vector<std::string> passed_numbers() const;
  [[nodiscard]] std::vector<std::string> passed_names() const;

 private:
  [[nodiscard]] std::size_t find(const std::string& wanted) const;
  [[nodiscard]] std::string columns_there_are() const;

  std::vector<std::string> wanted_;
  TableHeader header_;
  std::vector<std::string> names_;   // or, without a header, as many empty texts
  std::vector<std::size_t> chosen_;  // 0-based, ascending
};

// Cuts the cells of the chosen columns out of a chunk. A Cursor walks cells:
//   at_end(), line(), skip_blank_line(), next() -> cell with ends_record and add_to(pieces, line).
template <typename Cursor>
void parse_table(Cursor cursor, std::uint64_t first_line, const ColumnChoice& columns, PieceCutter& pieces) {
  bool is_header = first_line == 1 && columns.has_header();
  const std::vector<std::size_t>& chosen = columns.chosen();
  while (!cursor.at_end()) {
    if (cursor.skip_blank_line()) continue;
    const std::uint64_t row_line = cursor.line();
    std::size_t cells = 0;
    std::size_t found = 0;
    for (bool more = true; more; ++cells) {
      const std::uint64_t line = cursor.line();
      const auto cell = cursor.next();
      if (!is_header && found < chosen.size() && chosen[found] == cells) {
        cell.add_to(pieces, line);
        ++found;
      }
      more = !cell.ends_record;
    }
    if (!is_header) columns.check_row(cells, row_line);
    is_header = false;
  }
  pieces.finish();
}

// The decoded cells of one record; empty for a blank line.
template <typename Cursor>
std::vector<std::string> read_row(Cursor cursor) {
  std::vector<std::string> cells;
  if (cursor.at_end() || cursor.skip_blank_line()) return cells;
  for (bool more = true; more;) {
    const auto cell = cursor.next();
    cells.push_back(cell.text());
    more = !cell.ends_record;
  }
  return cells;
}

}  // namespace sotto
