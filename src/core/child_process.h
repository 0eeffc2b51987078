#pragma once
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace sotto {

// Somebody else's program.
struct OutsideProgram {
  std::string command;                      // as a shell reads it
  std::vector<std::string> environment;     // "NAME=value"
  std::vector<std::string> arguments = {};  // "$1", "$2", ... of the command
};

// `/bin/sh -c command`, running, in a process group of its own, so that what the shell started can be ended
// with it. Its standard error is ours.
class ChildProcess {
 public:
  // Descriptors that become its standard streams; they stay the caller's.
  struct Streams {
    int input;
    int output;
  };
  // Throws Error(input_output).
  ChildProcess(const OutsideProgram& program, Streams streams);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  // Kills the group, and waits, unless the child was waited for.
  ~ChildProcess();

  // Also the number of the group.
  [[nodiscard]] pid_t id() const noexcept { return id_; }
  // The exit status; 128 + the signal's number if a signal ended it. Once.
  int wait();
  // The same, or nothing if it has not ended by then.
  std::optional<int> wait_until(std::chrono::steady_clock::time_point deadline);
  // SIGTERM for the group, and SIGKILL if the shell has not ended a second later.
  void end();

 private:
  pid_t id_ = 0;  // 0: it was waited for
};

// Of a shell that does not find the command.
inline constexpr int kCommandNotFound = 127;

}  // namespace sotto
