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
// is read: output equal to input, a column without a table, ...
Plan make_plan(const PrivatizeArguments& arguments);
// Throws Error(usage) if a file of the plan, or the report, is there already and --force was not given. Asked
// last: who mistyped a column should not be told first to choose another name.
void check_nothing_is_replaced(const PrivatizeArguments& arguments, const Plan& plan);
// Throws Error if the one input has not the columns that were asked for.
void check_columns(const PrivatizeArguments& arguments, const Plan& plan);

}  // namespace sotto::cli
