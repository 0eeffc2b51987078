#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "cli/privatize/command.h"
#include "text/format.h"

namespace sotto::cli {

struct Job {
  std::filesystem::path input;   // "-": standard input
  std::filesystem::path output;  // "-": standard output
  const FormatInfo* format;
  std::uint64_t first_stream = 0;  // random streams of different files never meet
};

struct Plan {
  std::vector<Job> jobs;
  std::optional<std::filesystem::path> folder;  // set: each job writes a file of its own there
};

// Who reads and writes what. Throws Error for all that can be wrong with paths and formats before anything
// is read: output equal to input, an existing output, a column without a table, ...
Plan make_plan(const PrivatizeArguments& arguments);

}  // namespace sotto::cli
