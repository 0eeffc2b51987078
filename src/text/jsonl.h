#pragma once
#include <memory>

#include "text/format.h"

namespace sotto {

// A JSON object (or array of them) per line. The documents are the strings at the chosen fields: a path
// "a.b" goes through arrays, to all their elements, and a chosen array of strings is all of them. Names
// compare after unescaping, and a key of a path that is repeated in one object is refused: text must not stay
// in clear behind a spelling. Every record must have text at every chosen field (jsonl_scan.h has the rule)
// unless options.missing_field lets it pass; a field that the first record does not have is more likely
// mistyped, which is then an error of usage. With `pass`, a field at which no record at all has text is one,
// at the end.
std::unique_ptr<Format> make_jsonl(const FormatOptions& options);

}  // namespace sotto
