#pragma once
#include "shared/command_line.h"

namespace sotto::cli {

// Commands that look at a mechanism rather than release anything. Each takes the words after its name, parses
// them with a CommandLine and returns an exit code or throws sotto::Error.
int certify_command(Words words);
int audit_command(Words words);
int verify_command(Words words);
int measure_command(Words words);
int tune_command(Words words);

}  // namespace sotto::cli
