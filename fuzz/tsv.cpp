// The first byte chooses as for CSV, and the second what quotes mean.
#include "table_options.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  sotto::ReadingTexts texts = sotto::fuzz::table_texts("tsv", data[0]);
  constexpr std::array kQuotes = {"refuse", "literal", "excel"};
  const std::string quotes = kQuotes.at(data[1] % kQuotes.size());
  texts["tsv-quotes"] = {quotes};
  const std::string_view bytes = sotto::fuzz::text_of(data + 2, size - 2);
  const bool is_exact = quotes != "excel" || sotto::fuzz::keeps_quotes(texts, bytes);
  sotto::fuzz::check_format(texts, bytes, 1 + data[0] / 16, is_exact);
  return 0;
}
