#pragma once
#include <cstddef>
#include <optional>

#include "sotto/ids.h"
#include "sotto/mechanism.h"

namespace sotto {

// The privacy loss of one mechanism on one vocabulary, over all pairs of words. Upper bounds: a
// margin for rounding is included.
struct Certificate {
  double realised_epsilon = 0;  // max loss / distance
  double largest_loss = 0;      // Lmax, max loss of one word
  WordId worst_first{};         // the pair that attains realised_epsilon
  WordId worst_second{};
};

// Computed for mechanisms with a closed-form law on at most `word_limit` words: O(n^3) for a general law.
// Empty where that is not possible; never an estimate.
std::optional<Certificate> certify(const Mechanism& mechanism, std::size_t word_limit);

}  // namespace sotto
