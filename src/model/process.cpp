#include "model/process.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "core/descriptor.h"
#include "core/spawn.h"
#include "sotto/error.h"

namespace sotto {

int run_quietly(const Command& command) {
  const std::string name = shown(command.program.string());
  const pid_t child = spawn({.program = command.program,
                             .arguments = command.arguments,
                             .environment = command.environment,
                             .folder = command.folder,
                             .name = name});
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      throw Error(ErrorCode::input_output,
                  fmt::format("cannot wait for {}: {}", name, system_message(errno)));
    }
  }
  return exit_status(status);
}

std::optional<std::filesystem::path> find_program(std::string_view name, std::string_view search_path) {
  while (!search_path.empty()) {
    const std::size_t colon = std::min(search_path.find(':'), search_path.size());
    const std::filesystem::path folder(search_path.substr(0, colon));
    search_path.remove_prefix(std::min(colon + 1, search_path.size()));
    std::error_code ignored;
    std::filesystem::path program = folder / name;
    // A relative folder, "" included, would run whatever lies where the user stands.
    if (folder.is_absolute() && std::filesystem::is_regular_file(program, ignored) &&
        ::access(program.c_str(), X_OK) == 0) {
      return program;
    }
  }
  return std::nullopt;
}

}  // namespace sotto
