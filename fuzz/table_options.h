#pragma once
#include <array>

#include "format_harness.h"

namespace sotto::fuzz {

// Bits 0 and 1: the header; bit 2: a second column; bit 3: short rows pass.
inline ReadingTexts table_texts(const char* format, std::uint8_t bits) {
  constexpr std::array kHeaders = {"no-header", "header", "", "header"};
  ReadingTexts texts = {{"format", {format}}, {"column", {"#1"}}};
  if (const std::string header = kHeaders.at(bits & 3U); !header.empty()) texts[header] = {};
  if ((bits & 4U) != 0) texts["column"].emplace_back("#2");
  if ((bits & 8U) != 0) texts["short-rows"] = {"pass"};
  return texts;
}

// Cells are written with the quotes that they need, which may be others than they had. With short rows an
// empty cell is quoted, and a cell that begins with a byte order mark always is.
inline bool keeps_quotes(const ReadingTexts& texts, std::string_view bytes) {
  const std::size_t last_mark = bytes.rfind("\xEF\xBB\xBF");
  const bool has_mark_in_a_cell = last_mark != std::string_view::npos && last_mark > 0;
  return bytes.find('"') == std::string_view::npos && !has_mark_in_a_cell && !texts.contains("short-rows");
}

}  // namespace sotto::fuzz
