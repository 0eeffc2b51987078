#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sotto {

struct Command {
  std::filesystem::path program;
  std::vector<std::string> arguments;    // without the program's own name
  std::vector<std::string> environment;  // "NAME=value"
  std::filesystem::path folder;          // where it runs
};

// Runs it to its end, without a shell, its three standard streams on /dev/null. The exit status;
// 128 + the signal's number if a signal ended it. Throws Error(input_output) if it cannot be started.
int run_quietly(const Command& command);

// The first executable file of that name in the absolute folders of a colon-separated list.
std::optional<std::filesystem::path> find_program(std::string_view name, std::string_view search_path);

}  // namespace sotto
