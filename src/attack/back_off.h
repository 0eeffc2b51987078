#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "attack/lm_file.h"
#include "sotto/model.h"
#include "text/lookup.h"

namespace sotto {

// A back-off language model of another program, in the words of a model.
struct ImportedLanguage {
  LanguageModelParts parts = {};
  std::uint64_t words = 0;    // of the file
  std::uint64_t unknown = 0;  // of these, not in the model
};

// Collects the n-grams of a back-off model, whatever file they come from, and makes the parts of an .lm file.
//
// A back-off model says p(w|v) where (v,w) is listed, and bow(v) p(w) elsewhere. So S(v,w) = p - bow p(w),
// which may be negative, and lambda = bow. What the model of words does not have is left out: </s>, words
// that fold to a word already seen, and words that it lacks. Each row is then scaled so that it sums to 1.
// <s> is the beginning of a document and <unk> the anchor. Words that the file lacks share the probability of
// its rarest word.
class BackOffBuilder {
 public:
  // `anchor`: empty for the model's default. Throws Error(usage) if the model does not have it.
  BackOffBuilder(const std::shared_ptr<const Model>& model, std::string_view anchor);

  using Word = std::optional<std::uint32_t>;
  // The word of a file: a word of the model, the beginning of a document, or nothing.
  [[nodiscard]] Word id_of(std::string_view word) const;
  // One n-gram, 1 to 3 words in the order of the text. p is at most 1. Of several entries of one n-gram the
  // first counts.
  struct Values {
    float p = 0;
    float back_off = 1;
  };
  void add(std::span<const Word> words, const Values& values);
  [[nodiscard]] bool has_words() const { return !grams_[0].empty(); }
  [[nodiscard]] ImportedLanguage build();

 private:
  struct Entry {
    std::uint32_t first = 0;   // trigrams: u
    std::uint32_t second = 0;  // bigrams, trigrams: v
    std::uint32_t word = 0;
    float p = 0;
    float back_off = 1;
  };
  [[nodiscard]] std::uint32_t start() const { return static_cast<std::uint32_t>(size_); }
  static void sort_grams(std::vector<Entry>& grams);
  void fill_words(LanguageModelParts& parts);
  void fill_bigrams(LanguageModelParts& parts);
  void fill_trigrams(LanguageModelParts& parts);

  std::string identity_;
  Lookup lookup_;
  WordId anchor_;
  std::size_t size_;
  std::uint64_t words_ = 0;
  std::uint64_t unknown_ = 0;
  std::array<std::vector<Entry>, 3> grams_;
  std::vector<float> back_off_;  // by context
};

}  // namespace sotto
