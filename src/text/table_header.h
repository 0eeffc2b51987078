#pragma once
#include <cstddef>
#include <span>
#include <string>

namespace sotto {

// Why the first row of a table looks like data rather than names; empty if it does not. `chosen` are the
// 0-based columns that are to be privatised. A row looks like data if
// - a cell has a digit and no letter (a number, a date, a time), or holds an @;
// - two cells are equal, or a cell other than the first is empty (pandas leaves the first name empty);
// - a chosen cell has four or more words, is longer than 40 bytes, holds a line break, or ends like a
// sentence. The answer names columns by number and quotes nothing. Limit: a row of short texts passes for
// names.
std::string why_row_looks_like_data(std::span<const std::string> cells, std::span<const std::size_t> chosen);

}  // namespace sotto
