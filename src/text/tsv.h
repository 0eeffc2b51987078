#pragma once
#include <memory>

#include "text/format.h"

namespace sotto {

// Tab and LF separate, nothing quotes or escapes. A CR before the LF is part of the line end. Blank
// lines are copied.
std::unique_ptr<Format> make_tsv(const FormatOptions& options);

}  // namespace sotto
