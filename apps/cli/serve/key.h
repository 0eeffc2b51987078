#pragma once
#include "shared/command_line.h"

namespace sotto::cli {

// `sotto serve key create`, with the words after `key`.
int run_serve_key(Words words);

}  // namespace sotto::cli
