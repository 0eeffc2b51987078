#pragma once
#include <array>
#include <memory>

#include "text/format.h"
#include "text/format_columns.h"

namespace sotto {

// CSV by RFC 4180, read as Python's csv module reads it (dialect excel, strict, newline=''): cells may be
// quoted, quotes in them doubled, and hold line ends; rows end in LF or CRLF, kept as they are. A file that
// the module would split in another way, or refuse, is refused; so are a CR without LF outside quotes, NUL
// bytes, and a quote after leading blanks, which other readers read in other ways. A quote inside an unquoted
// cell is an ordinary character. Empty lines are copied and counted.
std::unique_ptr<Format> make_csv(const ReadingOptions& options);

inline constexpr std::array<ReadingOption::Value, 3> kDelimiterValues = {{{";"}, {"|"}, {","}}};
inline constexpr ReadingOption kDelimiter{.name = "delimiter",
                                          .kind = ReadingOption::Kind::choice,
                                          .placeholder = "CHARACTER",
                                          .help = "what separates the cells of a row: , (default) | ; | '|'",
                                          .values = kDelimiterValues};
inline constexpr std::array kCsvOptions = {&kColumn, &kHeader, &kShortRows, &kDelimiter};

// The same grammar with another separator. With a tab: Python's dialect excel-tab.
std::unique_ptr<Format> make_quoted_table(const ReadingOptions& options, char separator);

}  // namespace sotto
