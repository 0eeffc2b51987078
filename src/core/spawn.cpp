#include "core/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "core/descriptor.h"
#include "sotto/error.h"

namespace sotto {
namespace {

// posix_spawn's two tables.
class SpawnSetup {
 public:
  explicit SpawnSetup(const SpawnRequest& request) : name_(request.name) {
    require(::posix_spawn_file_actions_init(&actions_));
    require(::posix_spawnattr_init(&attributes_));
    give(request.input, STDIN_FILENO, O_RDONLY);
    give(request.output, STDOUT_FILENO, O_WRONLY);
    if (!request.shares_errors) give(SpawnRequest::kNothing, STDERR_FILENO, O_WRONLY);
    if (!request.folder.empty()) {
      require(::posix_spawn_file_actions_addchdir_np(&actions_, request.folder.c_str()));
    }
    short flags = POSIX_SPAWN_SETSIGDEF;  // an ignored signal would stay ignored over exec
    sigset_t pipe_signal;
    ::sigemptyset(&pipe_signal);
    ::sigaddset(&pipe_signal, SIGPIPE);
    require(::posix_spawnattr_setsigdefault(&attributes_, &pipe_signal));
    if (request.group == SpawnRequest::Group::its_own) {
      require(::posix_spawnattr_setpgroup(&attributes_, 0));
      flags |= POSIX_SPAWN_SETPGROUP;
    }
    require(::posix_spawnattr_setflags(&attributes_, flags));
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;
  ~SpawnSetup() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  [[nodiscard]] const posix_spawn_file_actions_t* actions() const { return &actions_; }
  [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

  void require(int error_number) const {
    if (error_number == 0) return;
    throw Error(ErrorCode::input_output, fmt::format("cannot run {}: {}; check its installation", name_,
                                                     system_message(error_number)));
  }

 private:
  void give(int descriptor, int stream, int mode) {
    require(descriptor == SpawnRequest::kNothing
                ? ::posix_spawn_file_actions_addopen(&actions_, stream, "/dev/null", mode, 0)
                : ::posix_spawn_file_actions_adddup2(&actions_, descriptor, stream));
  }

  std::string_view name_;
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// execve's form; the strings must outlive it.
std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  out.reserve(strings.size() + 1);
  for (std::string& string : strings) out.push_back(string.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

pid_t spawn(const SpawnRequest& request) {
  const SpawnSetup setup(request);
  std::vector<std::string> words = {request.program.string()};
  words.insert(words.end(), request.arguments.begin(), request.arguments.end());
  std::vector<std::string> environment = request.environment;
  pid_t child = 0;
  setup.require(::posix_spawn(&child, request.program.c_str(), setup.actions(), setup.attributes(),
                              pointers(words).data(), pointers(environment).data()));
  return child;
}

int exit_status(int reported) {
  return WIFEXITED(reported) ? WEXITSTATUS(reported) : 128 + WTERMSIG(reported);
}

}  // namespace sotto
