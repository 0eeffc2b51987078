#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

namespace sotto::lab {

// Finds where a curve that falls from left to right crosses a level: the x at which an attacker errs as often
// as wanted. `Point` is what is measured at one x; its member `error` is the height of the curve. Every
// measured point narrows later searches.
template <typename Point>
class LevelSearch {
 public:
  struct Range {
    double from;
    double to;
    double tolerance;  // a point is good enough if its height is this close to the level
  };
  LevelSearch(std::function<Point(double)> measure, const Range& range)
      : measure_(std::move(measure)), tolerance_(range.tolerance) {
    for (const double x : {range.from, range.to}) known_.emplace(x, measure_(x));
  }

  [[nodiscard]] const Point& at_start() const { return known_.begin()->second; }
  // The point at the level. Empty if the start of the curve is below the level or its end above it. After
  // kMostRounds measurements the nearest point to the left is taken, whatever its height: the caller reads
  // the height from the point.
  std::optional<Point> find(double level) {
    if (known_.begin()->second.error < level || known_.rbegin()->second.error > level) return std::nullopt;
    for (int round = 0;; ++round) {
      const auto right =
          std::ranges::find_if(known_, [&](const auto& own) { return own.second.error < level; });
      const auto end = right == known_.end() ? std::prev(known_.end()) : right;
      const auto left = std::prev(end);
      for (const auto& side : {left, end}) {
        if (std::abs(side->second.error - level) <= tolerance_ || round == kMostRounds) return side->second;
      }
      // Between a chord and the middle, so that a flat end of the curve does not stop the search.
      const double chord = (left->second.error - level) / (left->second.error - end->second.error);
      const double part = round % 2 == 0 ? std::clamp(chord, 0.1, 0.9) : 0.5;
      const double x = left->first + part * (end->first - left->first);
      known_.emplace(x, measure_(x));
    }
  }

 private:
  static constexpr int kMostRounds = 16;
  std::function<Point(double)> measure_;
  double tolerance_;
  std::map<double, Point> known_;
};

}  // namespace sotto::lab
