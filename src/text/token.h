#pragma once
#include <cstdint>

namespace sotto {

// Byte range of a token in its document.
struct Token {
  std::uint32_t begin;
  std::uint32_t end;
  bool operator==(const Token&) const = default;
};

}  // namespace sotto
