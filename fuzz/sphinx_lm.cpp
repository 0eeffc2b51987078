// Binary language models of CMU Sphinx: whatever is accepted makes a legal .lm file whose contexts sum to 1.
// The tables of a file have 768 kB, which would drown the rest: this target puts them in. An input is the
// order, the counts and everything behind the tables.
#include "attack/sphinx_lm.h"

#include <algorithm>

#include "language_harness.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
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
  sotto::fuzz::expect_legal_language([&](const auto& model) {
    return sotto::import_sphinx_lm(std::as_bytes(std::span(bytes)), model, "soup");
  });
  return 0;
}
