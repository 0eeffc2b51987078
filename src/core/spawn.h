#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sotto {

// A program to start, without a shell.
struct SpawnRequest {
  static constexpr int kNothing = -1;  // as a stream: /dev/null
  enum class Group { ours, its_own };

  std::filesystem::path program;
  std::vector<std::string> arguments = {};    // without the program's own name
  std::vector<std::string> environment = {};  // "NAME=value"
  std::filesystem::path folder = {};          // where it runs; empty: where we run
  int input = kNothing;
  int output = kNothing;
  bool shares_errors = false;  // its standard error is ours; else /dev/null
  // Signals of a terminal, such as Ctrl-C, reach a program in our process group too. A group of its own can
  // be ended with everything that the program started.
  Group group = Group::ours;
  std::string_view name = {};  // in messages
};

// Throws Error(input_output) if it cannot be started. SIGPIPE is as usual in the program, even if we ignore
// it.
pid_t spawn(const SpawnRequest& request);

// Of what waitpid() reports: the exit status, or 128 + the number of the signal that ended the program.
int exit_status(int reported);

}  // namespace sotto
