#include "attack/lattice.h"

#include <algorithm>

namespace sotto {
namespace {

// The largest `count` values from `first` on, the largest first; of equal values the first. `left_out` is
// none of them.
std::vector<std::size_t> largest(std::span<const float> values, std::size_t first, std::size_t count,
                                 std::size_t left_out) {
  std::vector<std::size_t> best;
  float threshold = 0;
  const auto before = [&](std::size_t a, std::size_t b) {
    return values[a] != values[b] ? values[a] > values[b] : a < b;
  };
  for (std::size_t w = first; w < values.size(); ++w) {
    if ((best.size() == count && !(values[w] > threshold)) || w == left_out) continue;
    best.push_back(w);
    // The first in the heap is the one to drop.
    std::ranges::push_heap(best, before);
    if (best.size() > count) {
      std::ranges::pop_heap(best, before);
      best.pop_back();
    }
    threshold = values[best.front()];
  }
  std::ranges::sort(best, before);
  return best;
}

}  // namespace

LatticeNode lattice_node(std::span<const float> bigram_posterior, std::span<const float> column,
                         const LanguageModel& lm) {
  std::vector<std::size_t> words = largest(bigram_posterior, 0, kCandidates, bigram_posterior.size());
  if (bigram_posterior.size() > kFunctionWords) {
    for (const std::size_t w :
         largest(bigram_posterior, kFunctionWords, kContentCandidates, index_of(lm.anchor))) {
      if (std::ranges::find(words, w) == words.end()) words.push_back(w);
    }
  }
  double prior_total = 0;
  double bigram_total = 0;
  for (std::size_t w = 0; w < column.size(); ++w) {
    prior_total += double{lm.unigram[w]} * double{column[w]};

    bigram_total += double{bigram_posterior[w]};
  }
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
