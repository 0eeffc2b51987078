#pragma once
#include <cstddef>
#include <optional>
#include <span>

#include "sotto/space.h"

namespace sotto {

// A law of the caller's own, as a table of probabilities: for research on mechanisms that are not in the
// registry. mechanism_from_law() of sotto/certificate.h makes a mechanism of it. n is the number of words of
// the model.
struct OwnLaw {
  // P(y | w) = probabilities[w * n + y]: n * n numbers, none below 0, every row with sum 1 (to 1e-6; it is
  // divided by its sum). Read during the call only.
  std::span<const double> probabilities;
  Metric metric = Metric::euclidean;
  // What is claimed: a loss of at most epsilon * d. Empty: no claim, the certificate alone speaks.
  std::optional<double> epsilon = {};
};

// Twelve bytes are kept for each probability, 300 MB for this many words.
inline constexpr std::size_t kMostOwnLawWords = 5000;

}  // namespace sotto
