#pragma once
#include <span>

#include "neighbours/nearest.h"

namespace sotto {

// The rule of vickrey for two neighbours: the probability (1-t) d2 / (t d1 + (1-t) d2) that the first of them
// is written, nearest first; 1-t where both distances are 0. `t` is in [0,1]. The lab draws for several t
// from the same noisy vectors with it.
double first_of_two(std::span<const Neighbour> nearest, double t);

}  // namespace sotto
