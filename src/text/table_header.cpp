#include "text/table_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string_view>

namespace sotto {
namespace {

constexpr std::size_t kManyWords = 4;
constexpr std::size_t kLongName = 40;  // bytes; about 13 characters of a script without spaces

bool is_blank(char c) {
  return std::string_view(" \t\r\n\v\f").find(c) != std::string_view::npos;
}

std::string_view trimmed(std::string_view cell) {
  while (!cell.empty() && is_blank(cell.front())) cell.remove_prefix(1);
  while (!cell.empty() && is_blank(cell.back())) cell.remove_suffix(1);
  return cell;
}

std::size_t count_words(std::string_view cell) {
  std::size_t words = 0;
  char before = ' ';
  for (const char c : cell) {
    if (!is_blank(c) && is_blank(before)) ++words;
    before = c;
  }
  return words;
}

bool has_digits_only(std::string_view cell) {
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  // A byte outside ASCII counts as a letter.
  const auto is_letter = [](unsigned char c) { return c >= 0x80 || std::isalpha(c) != 0; };
  return std::any_of(cell.begin(), cell.end(), is_digit) && std::none_of(cell.begin(), cell.end(), is_letter);
}

bool ends_like_a_sentence(std::string_view cell) {
  constexpr std::array<std::string_view, 3> kEnds = {".", "!", "?"};
  constexpr std::array<std::string_view, 3> kWideEnds = {"\u3002", "\uFF01", "\uFF1F"};
  const auto ends_cell = [&](std::string_view end) { return cell.ends_with(end); };
  // Scripts with the wide marks put no spaces between words.
  return std::any_of(kWideEnds.begin(), kWideEnds.end(), ends_cell) ||
         (count_words(cell) > 1 && std::any_of(kEnds.begin(), kEnds.end(), ends_cell));
}

std::string why_cell_looks_like_text(std::string_view cell) {
  if (count_words(cell) >= kManyWords) return fmt::format("has {} words", count_words(cell));
  if (cell.size() > kLongName) return fmt::format("is longer than {} bytes", kLongName);
  if (cell.find_first_of("\r\n") != std::string_view::npos) return "holds a line break";
  return ends_like_a_sentence(cell) ? "ends like a sentence" : "";
}

}  // namespace

std::string why_row_looks_like_data(std::span<const std::string> cells, std::span<const std::size_t> chosen) {
  for (const std::size_t column : chosen) {
    const std::string why = why_cell_looks_like_text(trimmed(cells[column]));
    if (!why.empty()) return fmt::format("its cell {}, of a chosen column, {}", column + 1, why);
  }
  std::map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string_view cell = trimmed(cells[i]);
    if (cell.empty() && i > 0) return fmt::format("its cell {} is empty", i + 1);
    if (has_digits_only(cell)) return fmt::format("its cell {} is a number or a date", i + 1);
    if (cell.find('@') != std::string_view::npos) return fmt::format("its cell {} holds an @", i + 1);
    const auto [same, is_new] = seen.emplace(cell, i);
    if (!is_new) return fmt::format("its cells {} and {} are equal", same->second + 1, i + 1);
  }
  return {};
}

}  // namespace sotto
