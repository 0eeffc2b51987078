#pragma once
#include <memory>

#include "text/format.h"

namespace sotto {

// A toy that extend_test.py adds to a copy of the tree: CSV with bars for commas.
std::unique_ptr<Format> make_psv(const ReadingOptions& options);

}  // namespace sotto
