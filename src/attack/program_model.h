#pragma once
#include <chrono>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/child_process.h"
#include "core/descriptor.h"

namespace sotto {

// Any program as a language model: it reads one line of JSON and answers with one.
//
//   {"tokens": ["the", "soup", "was", "cold"], "mask": 3, "candidates": ["cold", "hot"]}
//   {"logp": [-1.2, -3.4]}
//
// logp[i] is the natural logarithm of the probability of candidates[i] at place `mask` of the tokens, up to
// an addend that all candidates share. What stands at that place itself is a guess, which the program should
// not look at. A program never sees the original text: the tokens are guesses of an attacker.
class ProgramModel {
 public:
  // Runs `/bin/sh -c command`. Its standard error is ours. Throws Error(input_output) if it cannot be
  // started.
  explicit ProgramModel(const std::string& command,
                        std::chrono::milliseconds patience = std::chrono::seconds(60));
  ProgramModel(const ProgramModel&) = delete;
  ProgramModel& operator=(const ProgramModel&) = delete;
  // Closes its input and ends it.
  ~ProgramModel();

  // One value for each candidate; -infinity becomes the lowest double. Throws Error(input_output) if the
  // program ends, if an answer takes longer than the patience, or is not `logp` with as many numbers as there
  // are candidates. Any number of threads may ask; one does at a time.
  std::vector<double> logp(std::span<const std::string_view> tokens, std::size_t mask,
                           std::span<const std::string_view> candidates);

 private:
  void write(std::string_view line);
  std::string read_line();

  std::chrono::milliseconds patience_;
  std::optional<ChildProcess> child_;
  Descriptor to_;
  Descriptor from_;
  std::string buffer_;  // what came after the last line
  std::mutex mutex_;
};

}  // namespace sotto
