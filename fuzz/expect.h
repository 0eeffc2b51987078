#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "sotto/error.h"

// libFuzzer's entry point, one per target.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace sotto::fuzz {

// A property that does not hold stops the fuzzer, which then keeps the input.
inline void expect(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "property broken: %s\n", property);
  std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Runs `body`; a sotto::Error about the data is a right answer, one about us is not, and any other
// exception ends the run. Returns whether the input was accepted.
template <typename Body>
bool accepts(const Body& body) {
  try {
    body();
    return true;
  } catch (const Error& error) {
    expect(error.code() != ErrorCode::internal, "bad input is never reported as our bug");
    return false;
  }
}

}  // namespace sotto::fuzz
