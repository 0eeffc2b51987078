// One document a line; the first byte chooses how the bytes arrive.
#include "format_harness.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  sotto::fuzz::check_format({}, sotto::fuzz::text_of(data + 1, size - 1), 1U + data[0], true);
  return 0;
}
