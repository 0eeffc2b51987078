#pragma once
#include <string>
#include <string_view>

namespace sotto::cli {

// The library names parameters and options in backquotes, `tsv-quotes`. In a message for this program's user
// those that are options here become flags, --tsv-quotes.
std::string with_flags(std::string_view message);

}  // namespace sotto::cli
