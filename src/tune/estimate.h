#pragma once
#include <cstddef>

#include "tune/tune.h"

namespace sotto {

// How much work a search is, for a first line that tells whether to wait or to come back later.
struct TuneEstimate {
  std::size_t settings = 0;  // about as many will be measured
  double seconds = 0;  // on this machine, from a trial of a few draws and rows; off by a factor of 2 at times
};
// The trial takes about a second on a large model. Settings that `resume` would take from a file are counted.
TuneEstimate estimate_search(const TuneBench& bench, const TuneScope& scope, const Work& work);
TuneEstimate estimate_candidates(const TuneBench& bench, std::span<const Candidate> candidates,
                                 const Work& work);

}  // namespace sotto
