#pragma once
#include <filesystem>
#include <optional>
#include <vector>

#include "cli/privatize/command.h"

namespace sotto::cli {

struct Plan {
  std::vector<api::ReleaseFile> files;
  std::optional<std::filesystem::path> folder;  // set: each input makes a file of its own there
};

// Who reads and writes what. Throws Error for all that can be wrong with paths and formats before anything
// is read: output equal to input, an existing output, a column without a table, ...
Plan make_plan(const PrivatizeArguments& arguments);

}  // namespace sotto::cli
