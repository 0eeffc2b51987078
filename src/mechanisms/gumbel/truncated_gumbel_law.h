#pragma once
#include <span>
#include <vector>

#include "core/samplers.h"
#include "mechanisms/gumbel/gumbel_candidates.h"

namespace sotto {

// ln P(candidate j comes out) for all n candidates in their order: the argmin of distance + noise over the
// first K. Distances ascend from 0, none above noise.cut. Each probability is right to about 1e-10 of
// itself, however small. O(n^2).
std::vector<double> truncated_gumbel_log_law(std::span<const double> distances,
                                             const TruncatedGumbelLaw& noise, const CandidateCount& count);

}  // namespace sotto
