#pragma once
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "attack/language_model.h"
#include "attack/message_kernels.h"

namespace sotto {

// The bigrams of a language model in both directions, for messages over all words. Shared by threads.
class BigramChain {
 public:
  // `lm` lives longer. Memory: 8 bytes for each bigram.
  explicit BigramChain(const LanguageModel& lm);

  [[nodiscard]] std::size_t size() const noexcept { return lm_.size; }
  [[nodiscard]] const LanguageModel& lm() const noexcept { return lm_; }
  [[nodiscard]] std::span<const float> first_word() const noexcept { return first_word_; }
  // out[w] = sum over v of p(w|v) in[v], and out[v] = sum over w of p(w|v) in[w].
  void forward(const float* in, float* out) const;
  void backward(const float* in, float* out) const;
  // out[v] = p(word | v) for every word v.
  void probabilities_before(WordId word, std::span<float> out) const;

 private:
  const LanguageModel& lm_;
  std::vector<std::uint64_t> begins_;    // by word: its entries below
  std::vector<std::uint32_t> contexts_;  // ascending within a word
  std::vector<float> values_;
  std::vector<float> first_word_;  // p(w | start)
};

// One document: by token, P(output | w) for every word w, times any constant.
using ColumnPointers = std::span<const float* const>;

// Called for every token of every lane; `posterior` has a value for each word and sums to 1.
using PosteriorBody =
    std::function<void(std::size_t lane, std::size_t token, std::span<const float> posterior)>;

// The exact posterior of every word of up to kLanes documents under the bigram model: forward-backward over
// the whole vocabulary. Messages are float32, normalised at every token; sums are double. Forward messages
// are kept for at most `most_steps` tokens at a time: a longer document is computed in blocks from
// checkpoints, which takes one more forward pass. most_steps >= 2.
void forward_backward(const BigramChain& chain, std::span<const ColumnPointers> documents,
                      std::size_t most_steps, const PosteriorBody& body);

}  // namespace sotto
