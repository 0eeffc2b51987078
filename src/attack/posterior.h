#pragma once
#include <cstddef>
#include <span>

#include "sotto/ids.h"

namespace sotto {

// Words outside this many most frequent ones are content words.
inline constexpr std::size_t kFunctionWords = 300;

struct Belief {
  WordId word{};
  double probability = 0;
};

// Where attackers say what they believe of each token. `token` counts over all documents. Nothing comes back:
// an attacker does not learn whether it was right. Calls for different tokens may come from several threads.
class PosteriorSink {
 public:
  virtual ~PosteriorSink() = default;
  // The probability of every word; they sum to 1 within rounding.
  virtual void believe(std::size_t token, std::span<const float> posterior) = 0;
  // The probabilities of some words. The rest goes to all other words in the proportions of the attacker
  // `bigram`, which must have spoken about this token before, and which gave them `bigram_rest` together.
  virtual void believe_some(std::size_t token, std::span<const Belief> beliefs, double bigram_rest) = 0;
  // A guess without probabilities: of any word, and of a content word.
  struct Guess {
    WordId word{};
    WordId content{};
  };
  virtual void guess(std::size_t token, const Guess& guess) = 0;
};

}  // namespace sotto
