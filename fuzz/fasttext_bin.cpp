#include "model_harness.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sotto::fuzz::check_import(sotto::fuzz::text_of(data, size), sotto::VectorFormat::fasttext_bin);
}
