// The first byte chooses the fields, what happens to records without them, and how the bytes arrive. Escapes
// may be spelt in several ways, so only the documents must survive, not the bytes.
#include "format_harness.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  sotto::ReadingTexts texts = {{"format", {"jsonl"}}, {"field", {"text"}}};
  if ((data[0] & 1) != 0) texts["field"].emplace_back("review.body");
  if ((data[0] & 2) != 0) texts["missing-field"] = {"pass"};
  sotto::fuzz::check_format(texts, sotto::fuzz::text_of(data + 1, size - 1), 1 + data[0] / 4, false);
  return 0;
}
