#include "shared/flag_names.h"

#include <fmt/format.h>

#include <set>

#include "core/quoted_names.h"

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
  return with_names_written(message, [](std::string_view name, std::string_view& /*rest*/) {
    return declared().contains(name) ? fmt::format("--{}", name) : fmt::format("`{}`", name);
  });
}

}  // namespace sotto::cli
