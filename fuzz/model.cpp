// The .sotto file. Random bytes would never get past the checksum, so the input is a list of edits of
// a valid file: (offset, value) in three bytes each; the first byte says whether the checksum is then made
// right again (a forged file), and whether the file is cut after the last edit.
#include "model/model_file.h"

#include <cstring>
#include <vector>

#include "model_harness.h"

namespace {

std::vector<std::byte> valid_file() {
  const std::vector<std::string> words{"the", "soup", "was", "cold", "caf\xc3\xa9"};
  const std::vector<float> vectors{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0.5F, 2};
  auto file = sotto::make_model_file(words, vectors, 3, {.name = "fuzz", .source = "fuzz"});
  const auto bytes = file.writable();
  return {bytes.begin(), bytes.end()};
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<std::byte> kValid = valid_file();
  if (size == 0) return 0;
  const bool forges_checksum = (data[0] & 1) != 0;
  const bool cuts = (data[0] & 2) != 0;
  std::vector<std::byte> bytes = kValid;
  std::size_t offset = bytes.size();
  for (std::size_t i = 1; i + 2 < size; i += 3) {
    offset = (data[i] + 256U * data[i + 1]) % bytes.size();
    bytes[offset] = static_cast<std::byte>(data[i + 2]);
  }
  const bool is_unchanged = bytes == kValid;
  if (cuts) bytes.resize(offset);
  if (forges_checksum && bytes.size() > 192) sotto::set_model_file_checksum(bytes);

  std::shared_ptr<const sotto::Model> model;
  const bool is_whole = bytes.size() == kValid.size();
  const bool accepted = sotto::fuzz::accepts([&] { model = sotto::Model::from_bytes(std::move(bytes)); });
  if (accepted) sotto::fuzz::check_model(*model);
  sotto::fuzz::expect(accepted || !(is_unchanged && is_whole), "the valid file is accepted");
  sotto::fuzz::expect(!accepted || forges_checksum || (is_unchanged && is_whole),
                      "an edit under the old checksum is refused");
  return 0;
}
