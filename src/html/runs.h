#pragma once
#include <cstddef>
#include <vector>

#include "html/frame.h"
#include "html/plot.h"

namespace sotto::html {

inline constexpr std::size_t kMostPoints = 1500;

struct Placed {
  Spot at;
  const Point* point = nullptr;
  bool inside = true;  // the area; a line may lead to a point outside it
};

// Points with a place on the axes, cut where one between them has none.
using Run = std::vector<Placed>;
std::vector<Run> runs_of(const Plot& plot, const Series& series, const Frame& frame);

// A line of many points, with those left out that make no difference at this size: of each group that shares
// a column of pixels, the first, lowest, highest and last stay.
Run thinned_line(const Run& run);
// One point of each small square, the squares large enough for at most kMostPoints to stay.
Run thinned_points(const std::vector<Run>& runs);

}  // namespace sotto::html
