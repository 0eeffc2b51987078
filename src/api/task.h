#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/outside_program.h"
#include "sotto/reading.h"
#include "tune/bench.h"

// A downstream task as the loss of tune(): somebody's program or function judges a private copy of a text.
namespace sotto::api {

inline constexpr std::chrono::seconds kTaskPatience{600};

struct TaskRequest {
  // What is copied: a file in any format of `privatize`, or texts, which are one document each. Texts need a
  // function for texts, a file needs one of the other judges.
  std::variant<std::filesystem::path, std::vector<std::string>> input = {};
  ReadingTexts reading = {};  // of a file: its format, columns and fields
  // Returns or prints what the copy loses: one number from 0 to 1. A program gets the path of the copy as its
  // last argument.
  using OfFile = std::function<double(const std::filesystem::path&)>;
  using OfTexts = std::function<double(const std::vector<std::string>&)>;
  std::variant<OutsideProgram, OfFile, OfTexts> judge = {};
  std::chrono::milliseconds patience = kTaskPatience;  // with a program, for each copy
  std::filesystem::path folder = {};  // for the copy: mode 0600, one at a time, removed whatever happens
  // Also copies of settings that `privatize` refuses: nearly the text in clear.
  bool allow_weak = false;

  // Anything was said that only a task needs.
  [[nodiscard]] bool is_asked_for() const;
  [[nodiscard]] bool has_program() const { return std::holds_alternative<OutsideProgram>(judge); }
};

// Throws Error(usage) for what does not fit together, whatever the model.
void check(const TaskRequest& request);

// Copies are made with fresh randomness, or all with this seed: whoever knows it can undo the noise.
// Throws Error(input_output), usage or bad_data if the file or its first record cannot be read. The loss of
// the task throws Error(input_output) if the program fails or prints anything else than one number from 0 to
// 1, usage if a function returns another number. No message quotes the text or what the program printed.
TuneTask make_task(const TaskRequest& request, std::optional<std::uint64_t> seed_not_private);

}  // namespace sotto::api
