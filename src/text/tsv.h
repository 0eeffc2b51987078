#pragma once
#include <array>
#include <memory>

#include "text/format_columns.h"

namespace sotto {

// What a quote means at the start of a cell. Writers differ, so nothing is guessed.
inline constexpr std::array<ReadingOption::Value, 3> kTsvQuotesValues = {
    {{"literal"}, {"excel"}, {"refuse"}}};
inline constexpr ReadingOption kTsvQuotes{
    .name = "tsv-quotes",
    .kind = ReadingOption::Kind::choice,
    .placeholder = "HOW",
    .help =
        "what a quote at the start of a cell means: literal (an ordinary character) | excel (it encloses "
        "the cell, as in CSV). Not said: such a cell is an error",
    .values = kTsvQuotesValues};
inline constexpr std::array kTsvOptions = {&kColumn, &kHeader, &kShortRows, &kTsvQuotes};

// Tab separates cells, LF or CRLF ends a row. Two dialects are in use, and a file does not tell which it is:
// - literal: nothing quotes or escapes (most data sets);
// - excel: cells may be quoted as in CSV, and then hold tabs and line ends (Excel, Python's excel-tab).
// They differ only in cells that begin with a quote. Such a cell is refused unless `tsv-quotes` says which
// dialect it is. In every dialect a CR without LF outside quotes and NUL bytes are refused, and empty
// lines are copied and counted.
std::unique_ptr<Format> make_tsv(const ReadingOptions& options);

}  // namespace sotto
