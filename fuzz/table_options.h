#pragma once
#include <array>

#include "format_harness.h"

namespace sotto::fuzz {

// Bits 0 and 1: the header; bit 2: a second column; bit 3: short rows pass.
inline FormatOptions table_options(FormatKind kind, std::uint8_t bits) {
  constexpr std::array kHeaders = {TableHeader::absent, TableHeader::present, TableHeader::not_said,
                                   TableHeader::present};
  FormatOptions options{.kind = kind};
  options.header = kHeaders.at(bits & 3U);
  options.columns = {"#1"};
  if ((bits & 4U) != 0) options.columns.emplace_back("#2");
  if ((bits & 8U) != 0) options.short_rows = ShortRows::pass;
  return options;
}

// Cells are written with the quotes that they need, which may be others than they had. With short rows an
// empty cell is quoted.
inline bool keeps_quotes(const FormatOptions& options, std::string_view bytes) {
  return bytes.find('"') == std::string_view::npos && options.short_rows == ShortRows::refuse;
}

}  // namespace sotto::fuzz
