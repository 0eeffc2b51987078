#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "expect.h"

namespace sotto::fuzz {

// Tries a reader of files with a checksum. Random bytes would never get past the checksum, so the fuzzer's
// input is a list of edits of a valid file: (offset, value) in three bytes each. The first byte says whether
// the checksum is then made right again (a forged file), and whether the file is cut after the last edit.
// `forge(bytes)` makes the checksum right, if the file is long enough to have one. `read(bytes)` reads the
// file and throws sotto::Error for a file that it refuses.
template <typename Forge, typename Read>
void try_damaged(const std::vector<std::byte>& valid, const std::uint8_t* data, std::size_t size, Forge forge,
                 Read read) {
  if (size == 0) return;
  const bool forges_checksum = (data[0] & 1) != 0;
  const bool cuts = (data[0] & 2) != 0;
  std::vector<std::byte> bytes = valid;
  std::size_t offset = bytes.size();
  for (std::size_t i = 1; i + 2 < size; i += 3) {
    offset = (data[i] + 256U * data[i + 1]) % bytes.size();
    bytes[offset] = static_cast<std::byte>(data[i + 2]);
  }
  const bool is_unchanged = bytes == valid;
  if (cuts) bytes.resize(offset);
  const bool is_whole = bytes.size() == valid.size();
  if (forges_checksum) forge(bytes);
  const bool accepted = accepts([&] { read(std::move(bytes)); });
  expect(accepted || !(is_unchanged && is_whole), "the valid file is accepted");
  expect(!accepted || forges_checksum || (is_unchanged && is_whole),
         "an edit under the old checksum is refused");
}

}  // namespace sotto::fuzz
