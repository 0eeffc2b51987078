#pragma once
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "attack/language_model.h"
#include "attack/message_kernels.h"
#include "core/large_memory.h"

namespace sotto {

// The bigrams of a language model in both directions, for messages over all words. Shared by threads.
class BigramChain {
 public:
  // `lm` lives longer. Memory: 8 bytes for each bigram.
  explicit BigramChain(const LanguageModel& lm);
  BigramChain(const BigramChain&) = delete;
  BigramChain& operator=(const BigramChain&) = delete;

  [[nodiscard]] std::size_t size() const noexcept { return lm_.size; }
  [[nodiscard]] const LanguageModel& lm() const noexcept { return lm_; }
  [[nodiscard]] std::span<const float> first_word() const noexcept { return first_word_; }
  // The matrix p(w|v) by w, for messages that go forwards, and by v, for those that go backwards. Each
  // without its part of rank one, whose other side is the weights of MessageStep.
  struct Direction {
    SparseRows matrix = {};
    std::span<const float> weights = {};
    // Ends of ranges of rows that take about equally long. They do not depend on threads: a sum over all rows
    // is one over the ranges, in this order.
    std::vector<std::size_t> cuts = {};
  };
  [[nodiscard]] const Direction& forward() const noexcept { return forward_; }
  [[nodiscard]] const Direction& backward() const noexcept { return backward_; }
  // out[v] = p(word | v) for every word v.
  void probabilities_before(WordId word, std::span<float> out) const;

 private:
  const LanguageModel& lm_;
  std::vector<std::uint64_t> begins_;    // by word: its entries below
  std::vector<std::uint32_t> contexts_;  // ascending within a word
  std::vector<float> values_;
  std::vector<float> first_word_;  // p(w | start)
  Direction forward_;
  Direction backward_;
};

// One document: by token, P(output | w) for every word w, times any constant.
using ColumnPointers = std::span<const float* const>;

// Called once for every token of every document, on several threads; `posterior` has a value for each word
// and sums to 1.
using PosteriorBody =
    std::function<void(std::size_t document, std::size_t token, std::span<const float> posterior)>;

struct ForwardBackwardLimits {
  // Forward messages that are kept at a time, at least 2: more tokens than that are computed in blocks from
  // checkpoints, which takes up to one more forward pass. A message has kLanes floats for each word.
  std::size_t most_messages = 2;
  unsigned threads = 1;
  // Where messages go, for calls one after the other: fresh memory costs about as much time as a step. It
  // grows as needed. Null: memory of this call alone.
  LargeMemory* memory = nullptr;
};

// The exact posterior of every word of some documents under the bigram model: forward-backward over the whole
// vocabulary. Documents are dealt to kLanes lanes, one after the other in each, and all lanes advance in
// lockstep: in rounds of so few documents that checkpoints are needed only for a document that is longer than
// `most_messages`. Messages are float32, scaled at every token; sums are double. Neither lanes nor threads
// nor checkpoints change a bit of the result.
void forward_backward(const BigramChain& chain, std::span<const ColumnPointers> documents,
                      const ForwardBackwardLimits& limits, const PosteriorBody& body);

}  // namespace sotto
