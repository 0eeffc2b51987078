#include "core/child_process.h"

#include <poll.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "core/spawn.h"
#include "core/stop.h"

namespace sotto {

ChildProcess::ChildProcess(const OutsideProgram& program, Streams streams) {
  std::vector<std::string> words = {"-c", program.command, "sh"};
  words.insert(words.end(), program.arguments.begin(), program.arguments.end());
  id_ = spawn({.program = "/bin/sh",
               .arguments = std::move(words),
               .environment = program.environment,
               .input = streams.input,
               .output = streams.output,
               .shares_errors = true,
               .group = SpawnRequest::Group::its_own,
               .name = "the outside program"});
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
  return exit_status(status);
}

std::optional<int> ChildProcess::wait_until(std::chrono::steady_clock::time_point deadline) {
  constexpr int kMilliseconds = 5;
  for (;;) {
    int status = 0;
    if (::waitpid(id_, &status, WNOHANG) == id_) {
      id_ = 0;
      return exit_status(status);
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
