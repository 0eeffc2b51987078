// ARPA language models: whatever is accepted makes a legal .lm file whose contexts sum to 1.
#include "attack/arpa.h"

#include <cmath>

#include "expect.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto kModel = sotto::Model::from_words({"the", "soup", "was", "cold"}, {0, 1, 2, 3}, 1);
  std::shared_ptr<const sotto::LanguageModelFile> file;
  sotto::fuzz::accepts([&] {
    const auto source = sotto::source_of_string(std::string(sotto::fuzz::text_of(data, size)));
    const sotto::ImportedLanguage imported = sotto::import_arpa(*source, kModel, "soup");
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
