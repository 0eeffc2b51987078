// The archive that npm packs. The file asked for is package/a; it is read in two ways.
#include "model/tar.h"

#include <string>

#include "expect.h"

namespace {

std::string contents(std::string_view bytes, std::size_t step, bool& is_good) {
  std::string out;
  is_good = sotto::fuzz::accepts([&] {
    const auto archive = sotto::source_of_string(std::string(bytes));
    const auto entry = sotto::open_tar_entry(*archive, "package/a", "fuzz");
    std::string buffer(step, '\0');
    for (std::size_t got = 0; (got = entry->read(buffer.data(), step)) > 0;) {
      sotto::fuzz::expect(got <= step, "read() stays within its capacity");
      out.append(buffer, 0, got);
    }
  });
  return out;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = sotto::fuzz::text_of(data, size);
  // A compressed archive may unpack to gigabytes; fuzz/compressed.cpp looks after that.
  if (bytes.starts_with("\x1f\x8b") || bytes.starts_with("\x28\xb5\x2f\xfd")) return 0;
  bool large_is_good = false;
  bool small_is_good = false;
  const std::string large = contents(bytes, 1 << 16, large_is_good);
  const std::string small = contents(bytes, 100, small_is_good);
  sotto::fuzz::expect(large_is_good == small_is_good, "acceptance does not depend on the size of reads");
  if (!large_is_good) return 0;
  sotto::fuzz::expect(large == small, "the bytes do not depend on the size of reads");
  sotto::fuzz::expect(bytes.find(large) != std::string_view::npos, "the contents are a part of the archive");
  return 0;
}
