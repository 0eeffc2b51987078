#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lab/data_folder.h"
#include "lab/gumbel/generator.h"
#include "sotto/model.h"

namespace sotto::lab::gumbel {

// The substitutions that certified training guards against: for each word of a vocabulary the word itself and
// the counter-fitted neighbours of Alzantot et al. 2018 (eight at most) that the vocabulary has.
using AllowedWords = std::vector<std::vector<WordId>>;  // by word; the word itself first
AllowedWords read_allowed_words(const DataFolder& data, const Model& vocabulary);

// Texts, one after the other.
struct Texts {
  std::vector<WordId> words;
  std::vector<std::int64_t> lengths;
  [[nodiscard]] bool empty() const { return lengths.empty(); }
  void add(std::span<const WordId> text) {
    words.insert(words.end(), text.begin(), text.end());
    lengths.push_back(static_cast<std::int64_t>(text.size()));
  }
};

// Where the different words of texts stand: for each place of each text, one text after the other, the row of
// its word in a table.
struct Places {
  at::Tensor rows;     // 32-bit integers
  at::Tensor lengths;  // of the texts, 64-bit integers
};

// The different words of a batch of texts with their allowed substitutions.
struct BatchWords {
  at::Tensor words;  // ids of the different words
  Places places;     // rows of `words`
  // All allowed words of all of `words`, one after the other, and where those of each end. The first allowed
  // word is the word itself. Both are empty where no substitutions were asked for.
  at::Tensor options;
  std::vector<std::int64_t> option_ends;
};
// `vocabulary`: the number of words that there are. `allowed` may be null.
BatchWords batch_words(const Texts& texts, std::size_t vocabulary, const AllowedWords* allowed);

}  // namespace sotto::lab::gumbel
