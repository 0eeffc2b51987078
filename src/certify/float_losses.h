#pragma once
#include <optional>
#include <vector>

#include "certify/float_pairs.h"

namespace sotto {

// The pairs of words that may be among the worst of a certificate (docs/proofs/float-pairs.md, step 4).
struct CandidatePair {
  std::size_t first = 0;  // rows, first < second
  std::size_t second = 0;
  double distance = 0;  // of Space
  std::size_t band = 0;
  double most_epsilon = 0;  // upper bounds; infinite if no epsilon bounds the loss
  double most_loss = 0;
};

struct CandidateRequest {
  // `logs` may be off by `log_error` each.
  AllPairs::LossQuestion question = {};
  double log_error = 0;
  // Of each row: the nearest and the farthest distance, within the tolerance. They save tiles.
  std::span<const double> nearest = {};
  std::span<const double> farthest = {};
};

// Every pair that AllPairs::largest_losses() would name for exact logs, and Lmax's, with a few others. Empty
// if there are so many that the search in doubles is quicker.
std::optional<std::vector<CandidatePair>> candidate_pairs(const FloatPairs& floats,
                                                          const CandidateRequest& request, const Work& work);

}  // namespace sotto
