#include "attack/lattice.h"

#include <algorithm>

#include "attack/peaks.h"
#include "attack/vector_kernels.h"

namespace sotto {

LatticeNode lattice_node(std::span<const float> bigram_posterior, std::span<const float> column,
                         const LanguageModel& lm) {
  const std::size_t n = bigram_posterior.size();
  const Peaks peaks(bigram_posterior);
  std::vector<std::size_t> words = peaks.largest({.count = kCandidates, .left_out = n});
  if (n > kFunctionWords) {
    for (const std::size_t w : peaks.largest(
             {.first = kFunctionWords, .count = kContentCandidates, .left_out = index_of(lm.anchor)})) {
      if (std::ranges::find(words, w) == words.end()) words.push_back(w);
    }
  }
  const double prior_total = dot_product(lm.unigram, column);
  const double bigram_total = sum_of(bigram_posterior);
  LatticeNode node{.rest_bigram = bigram_total, .rest_context_free = 1, .rest_channel = prior_total};
  for (const std::size_t w : words) {
    const LatticeNode::Candidate own{.word = word_id(w),
                                     .bigram = bigram_posterior[w],
                                     .context_free = double{lm.unigram[w]} * double{column[w]} / prior_total,
                                     .channel = column[w]};
    node.rest_bigram -= own.bigram;
    node.rest_context_free -= own.context_free;
    node.rest_channel -= double{lm.unigram[w]} * own.channel;
    node.candidates.push_back(own);
  }
  // Differences of nearly equal sums: rounding must not make them negative.
  constexpr double kLeast = 1e-12;
  node.rest_bigram = std::max(node.rest_bigram, kLeast);
  node.rest_context_free = std::max(node.rest_context_free, kLeast);
  node.rest_channel = std::max(node.rest_channel, kLeast * prior_total);
  return node;
}

}  // namespace sotto
