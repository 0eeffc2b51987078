#pragma once
#include <memory>

#include "text/format.h"

namespace sotto {

// Every line is a document, blank ones too. LF ends it; a CR before the LF stays outside; a last line
// without LF stays without.
std::unique_ptr<Format> make_text_lines(const ReadingOptions& options);

}  // namespace sotto
