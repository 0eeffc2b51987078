#include "shared/flag_names.h"

#include <set>

namespace sotto::cli {

namespace {

std::set<std::string, std::less<>>& declared() {
  static std::set<std::string, std::less<>> names;
  return names;
}

}  // namespace

void declare_flag(std::string_view name) {
  declared().emplace(name);
}

std::string with_flags(std::string_view message) {
  std::string out;
  while (!message.empty()) {
    const std::size_t open = message.find('`');
    const std::size_t close = open == std::string_view::npos ? open : message.find('`', open + 1);
    if (close == std::string_view::npos) break;
    const std::string_view name = message.substr(open + 1, close - open - 1);
    out += message.substr(0, open);
    if (declared().contains(name)) {
      out += "--";
      out += name;
    } else {
      out += message.substr(open, close + 1 - open);
    }
    message.remove_prefix(close + 1);
  }
  return out += message;
}

}  // namespace sotto::cli
