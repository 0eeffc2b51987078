#include "core/child_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "core/descriptor.h"
#include "core/stop.h"
#include "sotto/error.h"

namespace sotto {
namespace {

void require(int error_number) {
  if (error_number == 0) return;
  throw Error(ErrorCode::input_output,
              fmt::format("cannot run the outside program: {}", system_message(error_number)));
}

class SpawnSetup {
 public:
  explicit SpawnSetup(ChildProcess::Streams streams) {
    require(::posix_spawn_file_actions_init(&actions_));
    require(::posix_spawnattr_init(&attributes_));
    require(::posix_spawn_file_actions_adddup2(&actions_, streams.input, STDIN_FILENO));
    require(::posix_spawn_file_actions_adddup2(&actions_, streams.output, STDOUT_FILENO));
    // SIGPIPE as usual, which the caller may ignore: an ignored signal stays ignored over exec.
    sigset_t pipe_signal;
    ::sigemptyset(&pipe_signal);
    ::sigaddset(&pipe_signal, SIGPIPE);
    require(::posix_spawnattr_setsigdefault(&attributes_, &pipe_signal));
    require(::posix_spawnattr_setpgroup(&attributes_, 0));
    require(::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF));
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;
  ~SpawnSetup() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  [[nodiscard]] const posix_spawn_file_actions_t* actions() const { return &actions_; }
  [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
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

int status_number(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

ChildProcess::ChildProcess(const OutsideProgram& program, Streams streams) {
  const SpawnSetup setup(streams);
  std::vector<std::string> words = {"sh", "-c", program.command, "sh"};
  words.insert(words.end(), program.arguments.begin(), program.arguments.end());
  std::vector<std::string> environment = program.environment;
  require(::posix_spawn(&id_, "/bin/sh", setup.actions(), setup.attributes(), pointers(words).data(),
                        pointers(environment).data()));
}

ChildProcess::~ChildProcess() {
  if (id_ <= 0) return;
  ::kill(-id_, SIGKILL);
  (void)wait();
}

int ChildProcess::wait() {
  int status = 0;
  while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
  }
  id_ = 0;
  return status_number(status);
}

std::optional<int> ChildProcess::wait_until(std::chrono::steady_clock::time_point deadline) {
  constexpr int kMilliseconds = 5;
  for (;;) {
    int status = 0;
    if (::waitpid(id_, &status, WNOHANG) == id_) {
      id_ = 0;
      return status_number(status);
    }
    if (std::chrono::steady_clock::now() >= deadline) return std::nullopt;
    ::poll(nullptr, 0, kMilliseconds);
    throw_if_stopped();
  }
}

void ChildProcess::end() {
  constexpr int kTries = 20;
  constexpr int kMilliseconds = 50;
  if (id_ <= 0) return;
  ::kill(-id_, SIGTERM);
  for (int tries = 0; tries < kTries; ++tries) {
    if (::waitpid(id_, nullptr, WNOHANG) != 0) {
      id_ = 0;
      return;
    }
    ::poll(nullptr, 0, kMilliseconds);
  }
  ::kill(-id_, SIGKILL);
  (void)wait();
}

}  // namespace sotto
