#pragma once
// Small language models for tests.
#include <memory>
#include <string>
#include <vector>

#include "attack/kneser_ney.h"
#include "attack/lm_file.h"
#include "core/uniform.h"
#include "sotto/rng.h"

namespace sotto::test {

inline const std::string kSomeIdentity(64, 'a');

// Documents in which words follow each other with a preference: the next word is often the double of the
// last.
struct TextShape {
  std::size_t words = 6;
  std::size_t documents = 40;
  std::size_t length = 12;
  std::uint64_t seed = 7;
};
inline TokenText chained_text(const TextShape& shape) {
  Rng rng = Rng::seeded_not_private(shape.seed);
  TokenText text;
  for (std::size_t d = 0; d < shape.documents; ++d) {
    std::size_t last = uniform_below(rng, shape.words);
    for (std::size_t i = 0; i < shape.length; ++i) {
      const std::size_t word =
          bernoulli(rng, 0.7) ? (2 * last + 1) % shape.words : uniform_below(rng, shape.words);
      text.words.push_back(word_id(word));
      last = word;
    }
    text.ends.push_back(text.words.size());
  }
  return text;
}

inline std::shared_ptr<const LanguageModelFile> trained(const TokenText& text, std::size_t words,
                                                        unsigned order,
                                                        const std::string& identity = kSomeIdentity) {
  return LanguageModelFile::make(
      train_kneser_ney(text, identity, words, word_id(0), {.order = order, .held_out_every = 10}));
}

}  // namespace sotto::test
