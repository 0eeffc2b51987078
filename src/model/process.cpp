#include "model/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "core/descriptor.h"
#include "sotto/error.h"

namespace sotto {
namespace {

[[noreturn]] void fail(const Command& command, int error_number) {
  throw Error(ErrorCode::input_output,
              fmt::format("cannot run {}: {}; check its installation", shown(command.program.string()),
                          system_message(error_number)));
}

class SpawnActions {
 public:
  explicit SpawnActions(const Command& command) {
    require(::posix_spawn_file_actions_init(&actions_), command);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
      const int mode = stream == STDIN_FILENO ? O_RDONLY : O_WRONLY;
      require(::posix_spawn_file_actions_addopen(&actions_, stream, "/dev/null", mode, 0), command);
    }
    require(::posix_spawn_file_actions_addchdir_np(&actions_, command.folder.c_str()), command);
  }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  ~SpawnActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  static void require(int error_number, const Command& command) {
    if (error_number != 0) fail(command, error_number);
  }
  posix_spawn_file_actions_t actions_{};
};

// execve's form; the strings must outlive it.
std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (std::string& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

int run_quietly(const Command& command) {
  std::vector<std::string> arguments = {command.program.string()};
  arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
  std::vector<std::string> environment = command.environment;
  const SpawnActions actions(command);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, command.program.c_str(), actions.get(), nullptr,
                                  pointers(arguments).data(), pointers(environment).data());
  if (error != 0) fail(command, error);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) fail(command, errno);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
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
