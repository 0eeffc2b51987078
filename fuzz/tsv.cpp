// The first byte chooses header or none, one column or two, and how the bytes arrive.
#include "format_harness.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  sotto::FormatOptions options{.kind = sotto::FormatKind::tsv};
  options.header = (data[0] & 1) != 0 ? sotto::TableHeader::present : sotto::TableHeader::absent;
  options.columns = {"1"};
  if ((data[0] & 2) != 0) options.columns.emplace_back("2");
  sotto::fuzz::check_format(options, sotto::fuzz::text_of(data + 1, size - 1), 1 + data[0] / 4, true);
  return 0;
}
