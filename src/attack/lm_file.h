#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "attack/language_model.h"
#include "core/sha256.h"
#include "model/file_bytes.h"
#include "sotto/byte_stream.h"

// The `.lm` file, documented in docs/model-format.md.
namespace sotto {

// The parts of a language model before they are a file. Sizes are those of LanguageModel; the writer checks
// them. Empty `bigram_begins` stands for a model without entries.
struct LanguageModelParts {
  std::string identity = {};
  unsigned order = 1;
  WordId anchor{};
  std::vector<float> unigram = {};
  std::vector<float> base = {};
  std::vector<std::uint64_t> bigram_begins = {};
  std::vector<std::uint32_t> bigram_words = {};
  std::vector<float> values = {};
  std::vector<float> lambda = {};
  std::vector<float> back_values = {};
  std::vector<float> back_lambda = {};
  std::vector<std::uint64_t> trigram_begins = {};
  std::vector<std::uint32_t> trigram_words = {};
  std::vector<float> trigram_values = {};
  std::vector<float> mu = {};
  std::vector<std::uint32_t> held_out = {};
  std::vector<std::uint64_t> held_out_ends = {};
};

// An open `.lm` file: immutable, shared by threads, memory-mapped when it comes from disk.
class LanguageModelFile {
 public:
  // Checks the checksum, then every id, offset and value, so that a forged file with a right checksum cannot
  // be read outside its bytes. Throws Error(bad_data) or Error(input_output) that starts with the file.
  static std::shared_ptr<const LanguageModelFile> open(const std::filesystem::path& path);
  static std::shared_ptr<const LanguageModelFile> from_bytes(std::span<const std::byte> bytes);
  // Throws Error(bad_data) on what a file may not hold.
  static std::shared_ptr<const LanguageModelFile> make(const LanguageModelParts& parts);
  void save(const std::filesystem::path& path, Overwrite overwrite) const;

  [[nodiscard]] const LanguageModel& model() const noexcept { return model_; }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_.view(); }

 private:
  LanguageModelFile(FileBytes bytes, const std::string& label);

  FileBytes bytes_;
  LanguageModel model_;
};

// For tests and the fuzz target, which forge.
void set_language_model_checksum(std::span<std::byte> bytes);

// Throws Error(bad_data) if the language model is about the words of another model.
void require_same_words(const LanguageModel& lm, const std::string& identity);

}  // namespace sotto
