#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "text/format.h"
#include "text/format_pieces.h"

namespace sotto {

// The options of every table.
inline constexpr ReadingOption kColumn{
    .name = "column",
    .placeholder = "NAME",
    .help =
        "a column to privatise, by name or 1-based number (=NAME is always a name, #N always a number); "
        "repeatable",
    .example = "name or 1-based number"};
// Not said: the first row counts as the header, and is refused if it looks like data (text/table_header.h).
inline constexpr std::array<ReadingOption::Value, 3> kHeaderValues = {
    {{"present", "header", "the first row holds names, although it looks like data"},
     {"absent", "no-header", "the first row is data"},
     {"not said"}}};
inline constexpr ReadingOption kHeader{
    .name = "header", .kind = ReadingOption::Kind::flags, .values = kHeaderValues};
inline constexpr ReadingOption kShortRows{
    .name = "short-rows",
    .kind = ReadingOption::Kind::choice,
    .placeholder = "HOW",
    .help = "rows with fewer cells than the first: refuse (default) | pass (counted, and a leak)",
    .values = kPassOrRefuse};
inline constexpr std::array kTableOptions = {&kColumn, &kHeader, &kShortRows};

// Which columns of a table are documents, and which rows it may have. No message holds a cell of the table:
// the first row is data if there is no header after all.
class ColumnChoice {
 public:
  explicit ColumnChoice(const ReadingOptions& options);

  // `first_row` holds the names, or just the first cells without a header. A wanted text is
  //   =NAME  the column of that name;
  //   #N     the N-th column;
  //   else   a name or a 1-based number, an error if the header has a name that is this number.
  // Throws Error(usage) also if the first row looks like data (text/table_header.h), nobody said whether it
  // is a header, and no column was chosen by a name that it has.
  void resolve(std::vector<std::string> first_row);

  [[nodiscard]] bool has_header() const noexcept { return header_ != Header::absent; }
  [[nodiscard]] const std::vector<std::size_t>& chosen() const noexcept { return chosen_; }
  // A row may consist of one cell.
  [[nodiscard]] bool may_have_lone_cells() const noexcept { return names_.size() == 1 || passes_short_rows_; }

  enum class RowLength { as_the_first, shorter };
  // A row ended after `cells` cells. Throws Error(bad_data) if they are more than in the first row, or fewer
  // and that is not allowed.
  [[nodiscard]] RowLength check_row(std::size_t cells, std::uint64_t line) const;

  // What Format says of them (text/format.h).
  [[nodiscard]] std::vector<std::string> passed_numbers() const;
  [[nodiscard]] std::vector<std::string> passed_names() const;
  [[nodiscard]] std::vector<std::string> notices() const;
  [[nodiscard]] std::vector<std::string> allowed_leaks() const;

 private:
  enum class Header { present, absent, not_said };
  [[nodiscard]] std::optional<std::size_t> find_name(const std::string& wanted, std::string_view name) const;
  [[nodiscard]] std::optional<std::size_t> find_number(std::string_view digits) const;
  [[nodiscard]] std::size_t find(const std::string& wanted);
  [[nodiscard]] std::string columns_there_are() const;
  [[nodiscard]] std::string_view likely_column(std::string_view typed) const;

  std::vector<std::string> wanted_;
  Header header_;
  bool passes_short_rows_;
  std::vector<std::string> names_;   // or, without a header, as many empty texts
  std::vector<std::size_t> chosen_;  // 0-based, ascending
  bool is_chosen_by_name_ = false;   // at least one column
};

// Throws Error(bad_data) if a table's bytes hold a NUL. It is no text, and most often the file is UTF-16,
// whose separators and quotes are other bytes.
void refuse_nul_bytes(std::string_view records, std::uint64_t first_line);

// Cuts the cells of the chosen columns out of a chunk, and counts empty lines and short rows. A Cursor walks
// cells: at_end(), line(), skip_blank_line(), next() -> cell with ends_record and add_to(pieces, line).
template <typename Cursor>
void parse_table(Cursor cursor, std::uint64_t first_line, const ColumnChoice& columns, PieceCutter& pieces,
                 LayoutCounts& layout) {
  bool is_header = first_line == 1 && columns.has_header();
  const std::vector<std::size_t>& chosen = columns.chosen();
  while (!cursor.at_end()) {
    if (cursor.skip_blank_line()) {
      ++layout.empty_lines;
      continue;
    }
    const std::uint64_t row_line = cursor.line();
    std::size_t cells = 0;
    std::size_t found = 0;
    pieces.next_record();
    for (bool more = true; more; ++cells) {
      const std::uint64_t line = cursor.line();
      const auto cell = cursor.next();
      if (!is_header && found < chosen.size() && chosen[found] == cells) {
        cell.add_to(pieces, line);
        ++found;
      }
      more = !cell.ends_record;
    }
    if (columns.check_row(cells, row_line) == ColumnChoice::RowLength::shorter) ++layout.short_rows;
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
