#pragma once
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

// The environment of the process, for programs that we start: they need PATH and their proxy variables.
namespace sotto::cli {

inline std::string environment_value(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// "NAME=value" each.
inline std::vector<std::string> whole_environment() {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) out.emplace_back(*entry);
  return out;
}

}  // namespace sotto::cli
