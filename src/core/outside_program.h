#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sotto {

// Somebody else's program that answers each line of its standard input with one line.
struct OutsideProgram {
  std::string command;                   // as a shell reads it
  std::vector<std::string> environment;  // "NAME=value"
};

// Longer answers are refused: no word is.
inline constexpr std::size_t kLongestAnswer = 65536;

// Runs `/bin/sh -c command` once, writes `lines` lines (question(i) without its line feed) to it while
// reading its answers, and calls answer(i, text) for each, in order, without line feed or carriage return.
// Its standard error is ours. Neither side waits for the other, whatever the program buffers; memory does not
// grow with `lines`. The program and its children are killed if anything fails or a callback throws.
//
// Throws Error(input_output) if it cannot be started or its exit status is not 0, Error(bad_data) if it gives
// fewer or more lines, or one over kLongestAnswer.
void ask_outside_program(const OutsideProgram& program, std::size_t lines,
                         const std::function<std::string_view(std::size_t)>& question,
                         const std::function<void(std::size_t, std::string_view)>& answer);

}  // namespace sotto
