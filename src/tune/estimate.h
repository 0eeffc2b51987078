#pragma once
#include <cstddef>

#include "tune/tune.h"

namespace sotto {

// How much work a search is, for a first line that tells whether to wait or to come back later.
struct TuneEstimate {
  std::size_t settings = 0;  // about as many will be measured
  // On this machine if nothing else runs on it, from trials of a few draws and rows. Which settings are given
  // up early is not known before: off by a factor of 2 at times.
  double seconds = 0;
};
// The trials take a few seconds on a large model. Settings that `resume` would take from a file are counted;
// certificates and calibrations are not.
TuneEstimate estimate_search(const TuneBench& bench, const TuneScope& scope, const Work& work);
TuneEstimate estimate_candidates(const TuneBench& bench, std::span<const Candidate> candidates,
                                 const Work& work);

}  // namespace sotto
