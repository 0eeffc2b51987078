#pragma once
#include <cmath>
#include <memory>

#include "attack/back_off.h"
#include "attack/lm_file.h"
#include "expect.h"

namespace sotto::fuzz {

// `import(model)` imports a language model for the words of a small model. Whatever it accepts makes a legal
// .lm file whose contexts sum to 1.
template <typename Import>
void expect_legal_language(const Import& import) {
  static const auto kModel = Model::from_words({"the", "soup", "was", "cold"}, {0, 1, 2, 3}, 1);
  std::shared_ptr<const LanguageModelFile> file;
  accepts([&] { file = LanguageModelFile::make(import(kModel).parts); });
  if (!file) return;
  const LanguageModel& lm = file->model();
  for (std::size_t u = 0; u <= lm.size; ++u) {
    double bigrams = 0;
    for (std::size_t w = 0; w < lm.size; ++w) bigrams += lm.bigram(u, w);
    expect(std::abs(bigrams - 1) < 0.1, "bigrams sum to 1");
  }
}

}  // namespace sotto::fuzz
