#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "lab/tem/classifier.h"
#include "lab/tem/imdb.h"
#include "sotto/mechanism.h"

namespace sotto::lab {

// Labelled documents as words of the domain, as `sotto privatize --strip-html` sees them: unknown words are
// the anchor.
struct Corpus {
  std::vector<WordId> words;         // document after document
  std::vector<std::size_t> ends;     // of each document in `words`
  std::vector<std::uint8_t> labels;  // 1: positive
  std::uint64_t unknown = 0;         // tokens that are not in the domain

  [[nodiscard]] std::size_t size() const noexcept { return ends.size(); }
  [[nodiscard]] std::span<const WordId> document(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    return std::span(words).subspan(begin, ends[i] - begin);
  }
  [[nodiscard]] bool operator==(const Corpus&) const = default;
};

Corpus tokenise(const LabelledTexts& texts, const std::shared_ptr<const Model>& model, unsigned threads);

// The tokenised part, kept in `folder` under the model's identity and the checksum of the data. The file is
// the texts in another form: mode 0600, as private as they are. A damaged one is made again.
Corpus cached_corpus(const ImdbPart& part, const std::shared_ptr<const Model>& model,
                     const std::filesystem::path& folder, unsigned threads);

Bags bags_of(const Corpus& corpus);
// The chosen documents, released once by the mechanism; one random stream for each block of tokens.
struct Released {
  Bags bags;
  double unchanged = 0;  // share of tokens that came out as they went in
};
Released release(const Corpus& corpus, std::span<const std::uint32_t> documents,
                 const WordMechanism& mechanism, std::uint64_t seed);

// Random halves of a corpus with as many positive documents in each, of at most `most` documents.
struct Halves {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> second;
};
Halves random_halves(const Corpus& corpus, std::size_t most, std::uint64_t seed);

}  // namespace sotto::lab
