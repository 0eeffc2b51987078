#include "text/format_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "sotto/error.h"

namespace sotto {

ColumnChoice::ColumnChoice(std::vector<std::string> wanted, TableHeader header)
    : wanted_(std::move(wanted)), header_(header) {}

void ColumnChoice::resolve(std::vector<std::string> first_row) {
  names_ = std::move(first_row);
  // Without a header these are cells: text, which must reach no message.
  if (!has_header()) std::fill(names_.begin(), names_.end(), std::string());
  if (wanted_.empty()) {
    throw Error(ErrorCode::usage, fmt::format("no column was chosen; {}. Name the ones with text by --column",
                                              columns_there_are()));
  }
  chosen_.clear();
  for (const std::string& wanted : wanted_) chosen_.push_back(find(wanted));
  std::sort(chosen_.begin(), chosen_.end());
  chosen_.erase(std::unique(chosen_.begin(), chosen_.end()), chosen_.end());
}

std::size_t ColumnChoice::find(const std::string& wanted) const {
  if (has_header()) {
    const auto same = std::count(names_.begin(), names_.end(), wanted);
    if (same > 1) {
      throw Error(ErrorCode::usage,
                  fmt::format("--column {}: {} columns have this name; choose by number, 1 to {}", wanted,
                              same, names_.size()));
    }
    if (same == 1) {
      return static_cast<std::size_t>(std::find(names_.begin(), names_.end(), wanted) - names_.begin());
    }
  }
  std::size_t number = 0;
  const char* const end = wanted.data() + wanted.size();
  const auto [stop, error] = std::from_chars(wanted.data(), end, number);
  if (error == std::errc() && stop == end && number >= 1 && number <= names_.size()) return number - 1;
  throw Error(ErrorCode::usage,
              fmt::format("--column {}: there is no such column; {}", wanted, columns_there_are()));
}

std::string ColumnChoice::columns_there_are() const {
  if (has_header()) return fmt::format("the columns are {}", name_list(names_));
  return fmt::format("without a header columns are chosen by number, 1 to {}", names_.size());
}

void ColumnChoice::check_row(std::size_t cells, std::uint64_t line) const {
  if (!chosen_.empty() && cells <= chosen_.back()) {
    throw bad_line(
        line, fmt::format("the row has {} cells and lacks the chosen column {}", cells, chosen_.back() + 1));
  }
  // Most often an unquoted comma in the text: what follows it would pass in clear.
  if (cells > names_.size()) {
    throw bad_line(line,
                   fmt::format("the row has {} cells, the first row has {}; quote or escape what separates "
                               "cells where it is part of a text",
                               cells, names_.size()));
  }
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

}  // namespace sotto
