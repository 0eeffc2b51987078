#include "html/runs.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace sotto::html {
namespace {

constexpr double kColumn = 1.5;

void append_extremes(Run& out, const Run& run, std::size_t begin, std::size_t end) {
  std::set<std::size_t> kept = {begin, end - 1};
  const auto higher = [](const Placed& a, const Placed& b) { return a.at.y < b.at.y; };
  const auto first = run.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto last = run.begin() + static_cast<std::ptrdiff_t>(end);
  kept.insert(static_cast<std::size_t>(std::min_element(first, last, higher) - run.begin()));
  kept.insert(static_cast<std::size_t>(std::max_element(first, last, higher) - run.begin()));
  for (const std::size_t index : kept) out.push_back(run[index]);
}

Run one_of_each_square(const std::vector<Run>& runs, double side) {
  std::set<std::pair<long, long>> taken;
  Run out;
  for (const Run& run : runs) {
    for (const Placed& placed : run) {
      const std::pair square = {std::lround(placed.at.x / side), std::lround(placed.at.y / side)};
      if (placed.inside && taken.insert(square).second) out.push_back(placed);
    }
  }
  return out;
}

}  // namespace

std::vector<Run> runs_of(const Plot& plot, const Series& series, const Frame& frame) {
  std::vector<Run> runs;
  bool broken = true;
  for (const Point& point : series.points) {
    if (!drawable(plot.x, point.x) || !drawable(plot.y, point.y)) {
      broken = true;
      continue;
    }
    if (broken) runs.emplace_back();
    broken = false;
    const Spot value = {point.x, point.y};
    runs.back().push_back({frame.spot(value), &point, frame.shows(value)});
  }
  return runs;
}

Run thinned_line(const Run& run) {
  if (run.size() <= kMostPoints) return run;
  const auto column = [&](std::size_t i) { return std::floor(run[i].at.x / kColumn); };
  Run out;
  std::size_t begin = 0;
  for (std::size_t i = 1; i <= run.size(); ++i) {
    if (i < run.size() && column(i) == column(begin)) continue;
    append_extremes(out, run, begin, i);
    begin = i;
  }
  return out;
}

Run thinned_points(const std::vector<Run>& runs) {
  std::size_t count = 0;
  for (const Run& run : runs) count += run.size();
  if (count <= kMostPoints) {
    Run all;
    for (const Run& run : runs) {
      std::ranges::copy_if(run, std::back_inserter(all), [](const Placed& placed) { return placed.inside; });
    }
    return all;
  }
  double side = 1;
  Run out = one_of_each_square(runs, side);
  while (out.size() > kMostPoints) out = one_of_each_square(runs, side *= 1.5);
  return out;
}

}  // namespace sotto::html
