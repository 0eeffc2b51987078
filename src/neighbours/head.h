#pragma once
#include <cstddef>
#include <vector>

#include "sotto/space.h"

namespace sotto {

// The nearest words of one word, exactly: `words` are the first K of all words in the order (distance,
// index), the word itself included, and `distances` theirs. Independent of epsilon and gamma.
struct Head {
  std::vector<WordId> words;
  std::vector<double> distances;
  // Smallest distance of a word outside the head (infinity if there is none).
  double beyond;
};

// O(n dim). `scratch` is reused between calls.
Head build_head(const Space& space, WordId word, std::size_t length, std::vector<double>& scratch);

}  // namespace sotto
