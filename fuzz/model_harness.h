#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <string>

#include "expect.h"
#include "model/import.h"
#include "sotto/model.h"
#include "text/words.h"

namespace sotto::fuzz {

// What the class promises of every model that exists.
inline void check_model(const Model& model) {
  expect(model.size() > 0 && model.dim() > 0, "a model has words and dimensions");
  for (std::size_t i = 0; i < model.size(); ++i) {
    const WordId id = word_id(i);
    expect(!model.word(id).empty(), "no word is empty");
    expect(model.find(model.word(id)) == id, "each word is found at its own index");
    for (const float value : model.vector(id)) expect(std::isfinite(value), "vectors are finite");
  }
  expect(!model.find("a word with spaces that no model has"), "an absent word is not found");
}

// Loaders take a path; the bytes stay in memory.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(memfd_create("fuzz", 0)) {
    expect(descriptor_ >= 0, "memfd_create works");
    expect(write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
           "write works");
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

// Imports the bytes as `format` and, when that works, as a format to be detected: no crash in either, and
// every stored word is one that the tokeniser returns whole. `words` is the word list of a format that needs
// one.
inline int check_import(std::string_view bytes, VectorFormat format,
                        const std::filesystem::path& words = {}) {
  const MemoryFile file(bytes);
  for (const VectorFormat asked : {format, VectorFormat::detect}) {
    ImportOptions options;
    options.format = asked;
    options.words = words;
    options.rule = importable_word;
    options.name = "fuzz";
    std::shared_ptr<const Model> model;
    if (!accepts([&] { model = import_model(file.path(), options); })) continue;
    check_model(*model);
    for (std::size_t i = 0; i < model->size(); ++i) {
      const std::string word(model->word(word_id(i)));
      expect(importable_word(word) == word, "every stored word is importable again, unchanged");
    }
    const ModelOrigin& origin = model->origin();
    expect(origin.rows_read == model->size() + origin.dropped_not_a_word + origin.dropped_collision +
                                   origin.dropped_bad_vector + origin.dropped_by_request,
           "every row read is kept or counted");
  }
  return 0;
}

}  // namespace sotto::fuzz
