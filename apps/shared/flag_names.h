#pragma once
#include <string>
#include <string_view>

namespace sotto::cli {

// The library names parameters and options in backquotes, `tsv-quotes`. In a message for this program's user,
// those that the running command has as options become flags: --tsv-quotes.
std::string with_flags(std::string_view message);

// An option of the running command, without dashes; CommandLine calls this.
void declare_flag(std::string_view name);

}  // namespace sotto::cli
