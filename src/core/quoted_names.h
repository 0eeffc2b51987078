#pragma once
#include <string>
#include <string_view>

namespace sotto {

// The library's messages name parameters and options in backquotes, `tsv-quotes`; each front end writes them
// its own way. `write(name, rest)` returns what stands in place of a name and its quotes; `rest` is what
// follows in the message, and what it takes from its front is left out.
template <class Write>
std::string with_names_written(std::string_view message, const Write& write) {
  std::string out;
  while (!message.empty()) {
    const std::size_t open = message.find('`');
    const std::size_t close = open == std::string_view::npos ? open : message.find('`', open + 1);
    if (close == std::string_view::npos) break;
    const std::string_view name = message.substr(open + 1, close - open - 1);
    out += message.substr(0, open);
    message.remove_prefix(close + 1);
    out += write(name, message);
  }
  return out += message;
}

}  // namespace sotto
