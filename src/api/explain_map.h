#pragma once
#include "sotto/explain.h"

namespace sotto::api {

// `word` and its `neighbours` nearest words, nearest first, on a plane (see ExplainAnswer::map). O(n dim) for
// the distances, then O(neighbours^3). Throws Error(usage) for more than kMostOnMap neighbours.
std::vector<MapPoint> map_around(const Space& space, WordId word, std::size_t neighbours);

}  // namespace sotto::api
