// ARPA language models: whatever is accepted makes a legal .lm file whose contexts sum to 1.
#include "attack/arpa.h"

#include "language_harness.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sotto::fuzz::expect_legal_language([&](const auto& model) {
    const auto source = sotto::source_of_string(std::string(sotto::fuzz::text_of(data, size)));
    return sotto::import_arpa(*source, model, "soup");
  });
  return 0;
}
