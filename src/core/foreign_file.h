#pragma once
#include <optional>
#include <string_view>

#include "core/peeked_source.h"

namespace sotto {

// A kind of file that people have and that Sotto does not read.
struct ForeignFile {
  std::string_view magic;   // the bytes it begins with
  std::string_view kind;    // "a Parquet file"
  std::string_view advice;  // what to do with it
};

// The kind of a source by its first bytes; empty if it is none of these. Bytes that may also begin a plain
// text count only together with bytes that no text has.
std::optional<ForeignFile> foreign_file(PeekedSource& source);

}  // namespace sotto
