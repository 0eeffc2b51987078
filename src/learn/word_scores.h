#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "learn/documents.h"

namespace sotto {

// How much each word speaks for class 1: its weight in a logistic regression on labelled texts, divided by
// the root mean square over the words that occur in them. The scores show what the texts and labels say, so
// both must be public wherever the scores are.
struct WordScores {
  std::vector<double> of;  // by word of the model; 0 for a word that does not occur
  std::size_t scored = 0;  // words that occur, without the anchor
};

// `labels`: 0 or 1 for each text. `anchor`: the word that stands for unknown ones; its score is 0, because
// unknown words must not share a score.
WordScores word_scores(const TokenLists& texts, std::span<const std::uint32_t> labels, const Model& model,
                       WordId anchor, unsigned threads);

}  // namespace sotto
