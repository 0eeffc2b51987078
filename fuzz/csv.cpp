// The first byte chooses what is said about the header, one column or two, whether short rows pass, and how
// the bytes arrive.
#include "table_options.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const sotto::ReadingTexts texts = sotto::fuzz::table_texts("csv", data[0]);
  const std::string_view bytes = sotto::fuzz::text_of(data + 1, size - 1);
  sotto::fuzz::check_format(texts, bytes, 1 + data[0] / 16, sotto::fuzz::keeps_quotes(texts, bytes));
  return 0;
}
