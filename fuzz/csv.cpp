// The first byte chooses header or none, one column or two, and how the bytes arrive.
#include "format_harness.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  sotto::FormatOptions options{.kind = sotto::FormatKind::csv};
  options.header = (data[0] & 1) != 0 ? sotto::TableHeader::present : sotto::TableHeader::absent;
  options.columns = {"1"};
  if ((data[0] & 2) != 0) options.columns.emplace_back("2");
  const std::string_view bytes = sotto::fuzz::text_of(data + 1, size - 1);
  // A bare quote or CR in an unquoted cell is written quoted, which is the same cell.
  const bool is_exact = bytes.find_first_of("\"\r") == std::string_view::npos;
  sotto::fuzz::check_format(options, bytes, 1 + data[0] / 4, is_exact);
  return 0;
}
