#pragma once
#include <memory>

#include "text/format.h"

namespace sotto {

// Tab separates cells, LF or CRLF ends a row. Two dialects are in use, and a file does not tell which it is:
// - literal: nothing quotes or escapes (most data sets);
// - excel: cells may be quoted as in CSV, and then hold tabs and line ends (Excel, Python's excel-tab).
// They differ only in cells that begin with a quote. Such a cell is refused unless options.tsv_quotes says
// which dialect it is. In every dialect a CR without LF outside quotes and NUL bytes are refused, and empty
// lines are copied and counted.
std::unique_ptr<Format> make_tsv(const FormatOptions& options);

}  // namespace sotto
