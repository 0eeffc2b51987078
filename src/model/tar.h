#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "sotto/byte_stream.h"

namespace sotto {

// The contents of the first regular file of that name in a tar archive (ustar, as npm packs). Reads
// forward only; `archive` must outlive the result. Throws Error(bad_data), with a message that starts
// with `label`, if the archive is damaged or truncated or has no such file.
std::unique_ptr<ByteSource> open_tar_entry(ByteSource& archive, std::string_view name,
                                           const std::string& label);

}  // namespace sotto
