#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/byte_stream.h"
#include "sotto/model.h"

namespace sotto {

// What the adversary knows of a word before it sees the output. Never cached: it may be made from private
// text.
struct Prior {
  std::vector<double> weights;        // by word of the model, sum 1
  std::vector<WordId> support;        // the words above 0, in model order
  std::string description;            // "uniform over 4,817 words"
  std::uint64_t entries = 0;          // lines or tokens read, 0 if it was made from the model alone
  std::uint64_t unknown = 0;          // of these, those that are no word of the model
  [[nodiscard]] WordId mode() const;  // the most likely word, the first of several
  // 1 - max prior: the error of guessing the mode whatever comes out. No adversary is worse.
  [[nodiscard]] double constant_guess() const { return 1 - weights[index_of(mode())]; }
};

Prior uniform_prior(const Model& model);
Prior frequency_rank_prior(const Model& model);
// Two columns, word and count (tab, comma or space between), folded; the counts of one word add up. Throws
// bad_data with the line, never its text.
Prior counted_prior(const std::shared_ptr<const Model>& model, ByteSource& source);
// The same from memory, where weights are counts of any scale. Throws bad_data with the number of the entry,
// from 1, never its text.
struct WordWeight {
  std::string word;
  double weight = 0;
};
Prior weighted_prior(const std::shared_ptr<const Model>& model, std::span<const WordWeight> weights);
// The share of each word among the known tokens of a text, tokenised as `privatize` does.
Prior corpus_prior(const std::shared_ptr<const Model>& model, ByteSource& source);

// "uniform", "rank", "counts:FILE" or "corpus:FILE"; empty for another text. Throws Error(usage) for a corpus
// whose name says that it is a table.
std::optional<Prior> named_prior(const std::shared_ptr<const Model>& model, const std::string& name);

// The words of a list, one a line (a second column is not allowed for), in model order, each once.
struct WordList {
  std::vector<WordId> words;
  std::uint64_t entries = 0;
  std::uint64_t unknown = 0;
};
// Throws bad_data if it has no word of the model.
WordList read_word_list(const std::shared_ptr<const Model>& model, ByteSource& source);
WordList word_list(const std::shared_ptr<const Model>& model, std::span<const std::string> words);
// The prior given that the word is of the list. Throws bad_data if that has probability 0.
Prior restricted(const Prior& prior, const WordList& list);

}  // namespace sotto
