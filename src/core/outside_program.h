#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/child_process.h"

namespace sotto {

// Longer answers are refused: no word is.
inline constexpr std::size_t kLongestAnswer = 65536;

// Programs that answer each line of their standard input with one line: runs the program once, writes `lines`
// lines (question(i) without its line feed) to it while reading its answers, and calls answer(i, text) for
// each, in order, without line feed or carriage return. Its standard error is ours. Neither side waits for
// the other, whatever the program buffers; memory does not grow with `lines`. The program and its children
// are killed if anything fails or a callback throws.
//
// Throws Error(input_output) if it cannot be started or its exit status is not 0, Error(bad_data) if it gives
// fewer or more lines, or one over kLongestAnswer.
void ask_outside_program(const OutsideProgram& program, std::size_t lines,
                         const std::function<std::string_view(std::size_t)>& question,
                         const std::function<void(std::size_t, std::string_view)>& answer);

// What a program printed to standard output, and how it ended.
struct ProgramRun {
  enum class End { finished, too_slow, too_much };
  End end = End::finished;
  int status = 0;           // of `finished`: the exit status, 128 + the number of a signal
  std::string output = {};  // of `finished`
};
struct RunLimits {
  std::chrono::milliseconds patience = std::chrono::minutes(10);
  std::size_t most_bytes = kLongestAnswer;
};
// Runs the program once to its end, with nothing to read on standard input. It and its children are killed if
// it takes or prints more than the limits allow, or if the call is stopped. `on_start` gets the number of its
// process group as soon as it runs. Throws Error(input_output) if it cannot be started.
ProgramRun run_outside_program(const OutsideProgram& program, const RunLimits& limits,
                               const std::function<void(pid_t)>& on_start = {});

}  // namespace sotto
