#pragma once
#include <string>
#include <vector>

#include "shared/command_line.h"

namespace sotto::cli {

// The frame of every program of ours: runs the command on the words of its command line, and turns what it
// throws into a message and an exit code. Standard streams that the caller closed are occupied first, so that
// no message can land in a file. No core dumps in release builds: memory holds text in clear.
int run_program(const std::vector<std::string>& words, int (*command)(Words));

}  // namespace sotto::cli
