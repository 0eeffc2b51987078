#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "learn/dense.h"
#include "sotto/mechanism.h"
#include "sotto/rng.h"
#include "sotto/work.h"

namespace sotto {

// Texts as words of a model, one list after the other. An unknown word is the anchor, as `privatize` has it.
struct TokenLists {
  std::vector<std::size_t> ends;  // of each text in `words`
  std::vector<WordId> words;
  std::uint64_t unknown = 0;                   // how many of them stand for unknown words
  std::vector<std::uint32_t> unknown_in = {};  // the same of each text; empty where nobody counted

  [[nodiscard]] std::size_t size() const noexcept { return ends.size(); }
  [[nodiscard]] std::size_t begin_of(std::size_t text) const { return text == 0 ? 0 : ends[text - 1]; }
  [[nodiscard]] std::span<const WordId> list(std::size_t text) const {
    return std::span(words).subspan(begin_of(text), ends[text] - begin_of(text));
  }
  // The share of words that the model has; 1 if there are none at all.
  [[nodiscard]] double known_share() const {
    return words.empty() ? 1 : 1 - static_cast<double>(unknown) / static_cast<double>(words.size());
  }
};

// How texts become words; `privatize` has the same options.
struct TokenOptions {
  WordId anchor{};
  bool strip_html = false;
};

// Splits and looks up on all threads. Throws Error(bad_data) with the number of a text that is no UTF-8,
// counted from 0.
TokenLists read_tokens(std::span<const std::string_view> texts, const std::shared_ptr<const Model>& model,
                       const TokenOptions& options, const Work& work);
// Every word replaced by a draw of the mechanism. Blocks of words have random streams of their own, so a
// seeded result does not depend on threads.
TokenLists privatised(const TokenLists& clean, const Mechanism& mechanism, const RandomSource& random,
                      const Work& work);
// The texts of these numbers, in this order.
TokenLists chosen_texts(const TokenLists& all, std::span<const std::size_t> numbers);
// Copies of the texts of both.
TokenLists joined(const TokenLists& first, const TokenLists& second);

// (count + 1) / sum over the words of a model: a word distribution that gives every word a chance.
std::vector<double> smoothed_shares(const TokenLists& texts, std::size_t words);

// A sparse matrix, a row for each document and a column for each word. mean_counts() makes rows that sum to
// 1, or to 0 for an empty text.
struct Documents {
  std::size_t columns = 0;
  std::vector<std::size_t> ends = {};  // of each row in `words` and `values`
  std::vector<std::uint32_t> words = {};
  std::vector<double> values = {};

  [[nodiscard]] std::size_t size() const noexcept { return ends.size(); }
  [[nodiscard]] std::size_t begin_of(std::size_t row) const { return row == 0 ? 0 : ends[row - 1]; }
};
Documents mean_counts(const TokenLists& texts, std::size_t words);
// The columns become rows.
Documents transposed(const Documents& documents);
// documents * features, with a row of features for each column of `documents`.
DenseMatrix product(const Documents& documents, const DenseMatrix& features, unsigned threads);

}  // namespace sotto
