#pragma once
#include <memory>

#include "text/format.h"

namespace sotto {

// A JSON object (or array of them) per line. The documents are the strings at the chosen fields: a path
// "a.b" goes through arrays, to all their elements, and a chosen array of strings is all of them. Names
// compare after unescaping, and every occurrence of a repeated one counts: text must not stay in clear behind
// a spelling. A record may lack a field, except the first (then it is more likely mistyped).
std::unique_ptr<Format> make_jsonl(const FormatOptions& options);

}  // namespace sotto
