#pragma once
#include <array>
#include <memory>

#include "text/format.h"

namespace sotto {

inline constexpr ReadingOption kField{.name = "field",
                                      .placeholder = "PATH",
                                      .help = "a field to privatise, nested as in `review.text`; repeatable",
                                      .example = "`text`, `review.text`"};
inline constexpr ReadingOption kMissingField{
    .name = "missing-field",
    .kind = ReadingOption::Kind::choice,
    .placeholder = "HOW",
    .help = "records without text at a chosen field: refuse (default) | pass (in clear; counted, and a leak)",
    .values = kPassOrRefuse};
inline constexpr std::array kJsonlOptions = {&kField, &kMissingField};

// A JSON object (or array of them) per line. The documents are the strings at the chosen fields: a path
// "a.b" goes through arrays, to all their elements, and a chosen array of strings is all of them. Names
// compare after unescaping, and a key of a path that is repeated in one object is refused: text must not stay
// in clear behind a spelling. Every record must have text at every chosen field (jsonl_scan.h has the rule)
// unless `missing-field` lets it pass; a field that the first record does not have is more likely
// mistyped, which is then an error of usage. With `pass`, a field at which no record at all has text is one,
// at the end.
std::unique_ptr<Format> make_jsonl(const ReadingOptions& options);

}  // namespace sotto
