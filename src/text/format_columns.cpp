#include "text/format_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/suggestion.h"
#include "sotto/error.h"
#include "text/table_header.h"

namespace sotto {

ColumnChoice::ColumnChoice(const ReadingOptions& options)
    : wanted_(options.texts(kColumn)),
      header_(options.value(kHeader) == "present"  ? Header::present
              : options.value(kHeader) == "absent" ? Header::absent
                                                   : Header::not_said),
      passes_short_rows_(options.value(kShortRows) == "pass") {}

void ColumnChoice::resolve(std::vector<std::string> first_row) {
  names_ = std::move(first_row);
  chosen_.clear();
  is_chosen_by_name_ = false;
  for (const std::string& wanted : wanted_) chosen_.push_back(find(wanted));
  std::sort(chosen_.begin(), chosen_.end());
  chosen_.erase(std::unique(chosen_.begin(), chosen_.end()), chosen_.end());
  // Without a header these are cells: text, which is not kept.
  if (!has_header()) std::fill(names_.begin(), names_.end(), std::string());
  if (header_ != Header::not_said || is_chosen_by_name_) return;
  const std::string why = why_row_looks_like_data(names_, chosen_);
  if (why.empty()) return;
  throw Error(ErrorCode::usage,
              fmt::format("the first row looks like data: {}. Give `header` if it holds the names of the "
                          "columns (it then stays in clear), or `no-header` if it is data",
                          why));
}

std::optional<std::size_t> ColumnChoice::find_name(const std::string& wanted, std::string_view name) const {
  if (!has_header()) return std::nullopt;
  const auto same = std::count(names_.begin(), names_.end(), name);
  if (same == 0) return std::nullopt;
  if (same == 1) {
    return static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
  }
  throw Error(ErrorCode::usage,
              fmt::format("`column` {}: {} columns have this name; choose by number, 1 to {}", wanted, same,
                          names_.size()));
}

std::optional<std::size_t> ColumnChoice::find_number(std::string_view digits) const {
  std::size_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (error != std::errc() || stop != end || number < 1 || number > names_.size()) return std::nullopt;
  return number - 1;
}

std::size_t ColumnChoice::find(const std::string& wanted) {
  const std::string_view text = wanted;
  const bool is_digits = !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  const std::optional<std::size_t> named = find_name(wanted, text);
  const std::optional<std::size_t> marked_name =
      text.starts_with('=') ? find_name(wanted, text.substr(1)) : std::nullopt;
  const std::optional<std::size_t> number = find_number(text.starts_with('#') ? text.substr(1) : text);
  if (named && is_digits) {
    throw Error(ErrorCode::usage,
                fmt::format("`column` {0} is ambiguous, because the first row has a cell that reads {0}: "
                            "write `column` '={0}' for the name, or `column` '#{0}' for the number; add "
                            "`no-header` if the first row is data",
                            wanted));
  }
  if (named && (marked_name || number)) {
    throw Error(ErrorCode::usage,
                fmt::format("`column` {0} is ambiguous: a column has this name, and its first character may "
                            "also mark a name or a number. Write `column` '={0}' for the column of this "
                            "name; choose the other one by its number without a mark, or by its name",
                            wanted));
  }
  if (named || marked_name) {
    is_chosen_by_name_ = true;
    return named ? *named : *marked_name;
  }
  if (number) return *number;
  if (const std::string_view meant = likely_column(text); !meant.empty()) {
    throw Error(ErrorCode::usage,
                fmt::format("`column` {}: there is no such column; did you mean {}?", wanted, meant));
  }
  const bool lists = text.find(',') != std::string_view::npos;
  throw Error(ErrorCode::usage,
              fmt::format("`column` {}: there is no such column; {}{}", wanted, columns_there_are(),
                          lists ? "; for several columns write `column` once for each" : ""));
}

// The first row may be data, so a message never lists it. A cell that differs by a slip from what was typed
// tells nothing new. Longer beginnings would.
std::string_view ColumnChoice::likely_column(std::string_view typed) const {
  if (!has_header()) return {};
  const std::vector<std::string_view> names(names_.begin(), names_.end());
  const std::string_view meant = likely_name(typed, names);
  return edit_distance(typed, meant) <= 2 ? meant : std::string_view();
}

std::string ColumnChoice::columns_there_are() const {
  for (const char separator : {';', '|'}) {
    if (names_.size() == 1 && has_header() && names_[0].find(separator) != std::string::npos) {
      return fmt::format(
          "the table has 1 column, whose name holds '{0}'; if '{0}' separates the cells, add `delimiter` "
          "'{0}'",
          separator);
    }
  }
  return fmt::format("the table has {} column{}; choose by number, 1 to {}{}", names_.size(),
                     names_.size() == 1 ? "" : "s", names_.size(),
                     has_header() ? ", or by name (`sotto columns FILE` shows them)"
                                  : " (there are no names without a header)");
}

ColumnChoice::RowLength ColumnChoice::check_row(std::size_t cells, std::uint64_t line) const {
  if (cells == names_.size()) return RowLength::as_the_first;
  // Most often an unquoted comma in the text: what follows it would pass in clear.
  if (cells > names_.size()) {
    throw bad_line(line, fmt::format("the row has {} cells, the first row has {}; quote or escape what "
                                     "separates cells where it is part of a text",
                                     cells, names_.size()));
  }
  if (passes_short_rows_) return RowLength::shorter;
  throw bad_line(line,
                 fmt::format("the row has {} cell{}, the first row has {}; is it the rest of a text with a "
                             "line break? If short rows belong to the table, say `short-rows` pass",
                             cells, cells == 1 ? "" : "s", names_.size()));
}

std::vector<std::string> ColumnChoice::passed_numbers() const {
  std::vector<std::string> passed;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (!std::binary_search(chosen_.begin(), chosen_.end(), i)) passed.push_back(std::to_string(i + 1));
  }
  return passed;
}

std::vector<std::string> ColumnChoice::passed_names() const {
  std::vector<std::string> passed;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (std::binary_search(chosen_.begin(), chosen_.end(), i)) continue;
    passed.push_back(has_header() ? shown_name(names_[i], i + 1) : std::to_string(i + 1));
  }
  return passed;
}

std::vector<std::string> ColumnChoice::notices() const {
  std::vector<std::string> notices;
  if (has_header()) {
    notices.emplace_back(
        "the first row counts as the header and stays in clear; give `no-header` if it is data");
  }
  // By number: a name is a cell of the file, which is private if the file has no header after all.
  if (const std::vector<std::string> passed = passed_numbers(); !passed.empty()) {
    notices.push_back(fmt::format("passing through in clear: {} column{}, by number: {}", passed.size(),
                                  passed.size() == 1 ? "" : "s", fmt::join(passed, ", ")));
  }
  return notices;
}

std::vector<std::string> ColumnChoice::allowed_leaks() const {
  if (!passes_short_rows_) return {};
  return {
      "Rows with fewer cells than the first row were allowed to pass: which rows they are is visible, and "
      "their cells outside the chosen columns are in clear, also where such a row is a part of a text."};
}

void refuse_nul_bytes(std::string_view records, std::uint64_t first_line) {
  const std::size_t nul = records.find('\0');
  if (nul == std::string_view::npos) return;
  const std::string_view before = records.substr(0, nul);
  throw bad_line(first_line + static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n')),
                 "a NUL byte, which tables of text do not have; if the file is UTF-16, convert it to UTF-8");
}

}  // namespace sotto
