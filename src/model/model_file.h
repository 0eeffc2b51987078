#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/sha256.h"
#include "model/file_bytes.h"
#include "model/word_table.h"
#include "sotto/model.h"

// The `.sotto` format, documented in docs/model-format.md.
namespace sotto {

// A parsed file. Pointers refer to its bytes.
struct ModelView {
  WordTable words;
  std::size_t dim = 0;
  std::size_t stride = 0;
  const float* rows = nullptr;
  Sha256Digest identity{};
  ModelOrigin origin;
};

// `bytes` must be 64-byte aligned. Checks the checksum, then every field against the others, so that
// also a forged file with a right checksum cannot be read outside its bytes. Does not recompute the
// identity: `identity` of the view is what the file states. Throws Error(bad_data) that starts with `label`.
ModelView read_model_file(std::span<const std::byte> bytes, const std::string& label);

// The file of these words; `vectors` is row after row. Throws Error(bad_data) on what cannot be
// stored; what read_model_file checks is left to it.
FileBytes make_model_file(const std::vector<std::string>& words, const std::vector<float>& vectors,
                          std::size_t dim, const ModelOrigin& origin);

// SHA-256 over dim, words and vectors, without padding.
Sha256Digest identity_of(const ModelView& view);

// Checksum that the file should have: of everything after the checksum field. For tests that forge.
std::uint64_t model_file_checksum(std::span<const std::byte> bytes);
void set_model_file_checksum(std::span<std::byte> bytes);

}  // namespace sotto
