// gzip and zstd by magic bytes. Small inputs can unpack to gigabytes, so reading stops at a limit.
#include <algorithm>
#include <string>

#include "expect.h"
#include "sotto/byte_stream.h"

namespace {

constexpr std::size_t kMost = 4 << 20;

// What comes out before the end, the limit or the error, read `step` bytes at a time.
std::string unpack(std::string_view bytes, std::size_t step, bool& is_good) {
  std::string out;
  is_good = sotto::fuzz::accepts([&] {
    const auto source = sotto::source_of_string(std::string(bytes));
    std::string buffer(step, '\0');
    while (out.size() < kMost) {
      // Exactly to the limit: what is wrong behind it is met by no size of reads.
      const std::size_t capacity = std::min(step, kMost - out.size());
      const std::size_t count = source->read(buffer.data(), capacity);
      if (count == 0) break;
      sotto::fuzz::expect(count <= capacity, "read() stays within its capacity");
      out.append(buffer, 0, count);
    }
    sotto::fuzz::expect(source->consumed() <= bytes.size(), "no more is consumed than there is");
  });
  return out;
}

// A zstd file may begin with a skippable frame; its magic number has 16 forms (RFC 8878, section 3.1.2).
bool is_skippable_frame(std::string_view bytes) {
  return bytes.size() >= 4 && (bytes[0] & 0xf0) == 0x50 && bytes.substr(1).starts_with("\x2a\x4d\x18");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = sotto::fuzz::text_of(data, size);
  bool large_is_good = false;
  bool small_is_good = false;
  const std::string large = unpack(bytes, 1 << 16, large_is_good);
  const std::string small = unpack(bytes, 1009, small_is_good);
  sotto::fuzz::expect(large_is_good == small_is_good, "acceptance does not depend on the size of reads");
  if (large_is_good) sotto::fuzz::expect(large == small, "the bytes do not depend on the size of reads");
  // A file that ends within a magic number is taken for a truncated one.
  bool may_be_compressed = is_skippable_frame(bytes);
  for (const std::string_view magic : {"\x1f\x8b", "\x28\xb5\x2f\xfd"}) {
    may_be_compressed |= !bytes.empty() && (bytes.starts_with(magic) || magic.starts_with(bytes));
  }
  if (may_be_compressed || size >= kMost) return 0;
  if (large_is_good) {
    sotto::fuzz::expect(large == bytes, "what is not compressed comes out as it is");
    return 0;
  }
  // How the kinds of files begin that are recognised and refused (core/foreign_file.cpp).
  bool may_be_foreign = false;
  for (const std::string_view magic :
       {"PAR1", "PK\x03\x04", "\xd0\xcf\x11\xe0", "\xfd", "BZh9", "%PDF-", "\xff\xfe", "\xfe\xff"}) {
    may_be_foreign |= bytes.starts_with(magic);
  }
  sotto::fuzz::expect(may_be_foreign, "only files of a foreign kind are refused");
  return 0;
}
