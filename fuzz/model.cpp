// The .sotto file, damaged and forged.
#include "model/model_file.h"

#include <cstring>
#include <vector>

#include "damage.h"
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
  std::shared_ptr<const sotto::Model> model;
  sotto::fuzz::try_damaged(
      kValid, data, size,
      [](std::vector<std::byte>& bytes) {
        if (bytes.size() > 192) sotto::set_model_file_checksum(bytes);
      },
      [&](std::vector<std::byte> bytes) { model = sotto::Model::from_bytes(std::move(bytes)); });
  if (model) sotto::fuzz::check_model(*model);
  return 0;
}
