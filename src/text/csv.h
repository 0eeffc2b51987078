#pragma once
#include <memory>

#include "text/format.h"

namespace sotto {

// CSV by RFC 4180: cells may be quoted, quotes in them doubled, and hold line ends; rows end in LF or
// CRLF, kept as they are. A quote inside an unquoted cell is an ordinary character, except after
// leading blanks: other dialects open a quoted cell there, and its commas would move text to columns
// that pass through. Blank lines are copied.
std::unique_ptr<Format> make_csv(const FormatOptions& options);

}  // namespace sotto
