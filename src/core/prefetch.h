#pragma once
#include <cstddef>

namespace sotto {

// Asks for the cache lines of `bytes` bytes, so that they come while other work is done. A hint: it reads
// nothing, and any address is allowed.
inline void prefetch_bytes(const void* data, std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  const auto* at = static_cast<const char*>(data);
  for (std::size_t offset = 0; offset < bytes; offset += kLine) __builtin_prefetch(at + offset);
}

}  // namespace sotto
