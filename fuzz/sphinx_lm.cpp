// Binary language models of CMU Sphinx: whatever is accepted makes a legal .lm file whose contexts sum to 1.
// The tables of a file have 768 kB, which would drown the rest: this target puts them in. An input is the
// order, the counts and everything behind the tables.
#include "attack/sphinx_lm.h"

#include <cmath>
#include <cstring>

#include "expect.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto kModel = sotto::Model::from_words({"the", "soup", "was", "cold"}, {0, 1, 2, 3}, 1);
  static const std::string kTable = [] {
    std::string bytes;
    for (int i = 0; i < 65536; ++i) {
      const float value = -2.0F * static_cast<float>(i % 16384);
      bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    return bytes;
  }();
  const std::string_view given = sotto::fuzz::text_of(data, size);
  if (given.empty()) return 0;
  const std::size_t order = given[0] == 2 ? 2 : 3;
  const std::size_t head = std::min(given.size(), 1 + 4 * order);
  std::string bytes = "Trie Language Model" + std::string(given.substr(0, head)) + std::string(4, '\1');
  for (std::size_t i = 0; i < (order == 3 ? 3 : 1); ++i) bytes += kTable;
  bytes += given.substr(head);
  std::shared_ptr<const sotto::LanguageModelFile> file;
  sotto::fuzz::accepts([&] {
    const sotto::ImportedLanguage imported =
        sotto::import_sphinx_lm(std::as_bytes(std::span(bytes)), kModel, "soup");
    file = sotto::LanguageModelFile::make(imported.parts);
  });
  if (!file) return 0;
  const sotto::LanguageModel& lm = file->model();
  for (std::size_t u = 0; u <= lm.size; ++u) {
    double bigrams = 0;
    for (std::size_t w = 0; w < lm.size; ++w) bigrams += lm.bigram(u, w);
    sotto::fuzz::expect(std::abs(bigrams - 1) < 0.1, "bigrams sum to 1");
  }
  return 0;
}
