// The first byte chooses as for CSV, and the second what quotes mean.
#include "table_options.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  sotto::FormatOptions options = sotto::fuzz::table_options(sotto::FormatKind::tsv, data[0]);
  constexpr std::array kQuotes = {sotto::TsvQuotes::refuse, sotto::TsvQuotes::literal,
                                  sotto::TsvQuotes::excel};
  options.tsv_quotes = kQuotes.at(data[1] % kQuotes.size());
  const std::string_view bytes = sotto::fuzz::text_of(data + 2, size - 2);
  const bool is_exact =
      options.tsv_quotes != sotto::TsvQuotes::excel || sotto::fuzz::keeps_quotes(options, bytes);
  sotto::fuzz::check_format(options, bytes, 1 + data[0] / 16, is_exact);
  return 0;
}
