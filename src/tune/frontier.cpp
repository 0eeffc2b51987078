#include "tune/frontier.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace sotto {
namespace {

struct Indexed {
  std::size_t index;
  Tradeoff tradeoff;
};

std::vector<Indexed> proven(std::span<const TunePoint> points, UtilityLoss loss) {
  std::vector<Indexed> out;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].status != Status::proven) continue;
    if (const auto tradeoff = tradeoff_of(points[i], loss)) {
      out.push_back({.index = i, .tradeoff = *tradeoff});
    }
  }
  return out;
}

// By how much the ends break the constraints, each in units of its own scale; 0: not at all.
double violation(const TunePoint& point, const Tradeoff& ends, const Constraints& constraints) {
  constexpr double kTiny = 1e-12;
  const auto relative = [&](double excess, double allowed) {
    return std::max(0.0, excess) / std::max(std::abs(allowed), kTiny);
  };
  double worst = 0;
  if (constraints.max_loss) {
    worst = std::max(worst, relative(ends.loss.high - *constraints.max_loss, *constraints.max_loss));
  }
  if (constraints.min_inference_error) {
    worst = std::max(
        worst, relative(*constraints.min_inference_error - ends.error.low, *constraints.min_inference_error));
  }
  if (constraints.max_certified_epsilon) {
    const double allowed = *constraints.max_certified_epsilon;
    const double own = point.certified_epsilon.value_or(std::numeric_limits<double>::infinity());
    worst = std::max(worst, relative(own - allowed, allowed));
  }
  return worst;
}

Tradeoff optimistic(const Tradeoff& ends) {
  return {.error = {.low = ends.error.high, .high = ends.error.high},
          .loss = {.low = ends.loss.low, .high = ends.loss.low}};
}

}  // namespace

std::vector<std::size_t> frontier(std::span<const TunePoint> points, UtilityLoss loss) {
  std::vector<Indexed> order = proven(points, loss);
  std::ranges::sort(order, [](const Indexed& a, const Indexed& b) {
    if (a.tradeoff.loss.high != b.tradeoff.loss.high) return a.tradeoff.loss.high < b.tradeoff.loss.high;
    if (a.tradeoff.error.low != b.tradeoff.error.low) return a.tradeoff.error.low > b.tradeoff.error.low;
    return a.index < b.index;
  });
  std::vector<std::size_t> out;
  const Tradeoff* last = nullptr;
  for (const Indexed& point : order) {
    const bool same = last != nullptr && point.tradeoff.loss.high == last->loss.high &&
                      point.tradeoff.error.low == last->error.low;
    if (last != nullptr && !same && !(point.tradeoff.error.low > last->error.low)) continue;
    out.push_back(point.index);
    last = &point.tradeoff;
  }
  return out;
}

bool keeps(const TunePoint& point, UtilityLoss loss, const Constraints& constraints) {
  if (point.status != Status::proven) return false;
  const auto tradeoff = tradeoff_of(point, loss);
  return tradeoff && violation(point, *tradeoff, constraints) == 0;
}

std::vector<std::size_t> within_unproven(std::span<const TunePoint> points, UtilityLoss loss,
                                         const Constraints& constraints) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto tradeoff = tradeoff_of(points[i], loss);
    const bool within = tradeoff && violation(points[i], *tradeoff, constraints) == 0;
    if (within && points[i].status != Status::proven) out.push_back(i);
  }
  return out;
}

Aim aim_of(const Constraints& constraints) {
  return constraints.max_loss || !constraints.any() ? Aim::largest_error : Aim::least_loss;
}

bool better(const Tradeoff& a, const Tradeoff& b, Aim aim) {
  if (aim == Aim::largest_error) {
    if (a.error.low != b.error.low) return a.error.low > b.error.low;
    return a.loss.high < b.loss.high;
  }
  if (a.loss.high != b.loss.high) return a.loss.high < b.loss.high;
  return a.error.low > b.error.low;
}

Choice choose(std::span<const TunePoint> points, UtilityLoss loss, const Constraints& constraints) {
  Choice choice;
  if (!constraints.any()) return choice;
  const Aim aim = aim_of(constraints);
  const std::vector<Indexed> all = proven(points, loss);
  const Indexed* best = nullptr;
  const Indexed* nearest = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const Indexed& point : all) {
    const double excess = violation(points[point.index], point.tradeoff, constraints);
    if (excess == 0 && (best == nullptr || better(point.tradeoff, best->tradeoff, aim))) best = &point;
    if (nearest == nullptr || excess < least) {
      nearest = &point;
      least = excess;
    }
  }
  if (best != nullptr) {
    choice.recommended = best->index;
  } else if (nearest != nullptr) {
    choice.nearest = nearest->index;
    choice.nearest_may_fit =
        violation(points[nearest->index], optimistic(nearest->tradeoff), constraints) == 0;
  }
  return choice;
}

std::vector<std::size_t> undecided(std::span<const TunePoint> points, std::size_t recommended,
                                   UtilityLoss loss, const Constraints& constraints) {
  const Aim aim = aim_of(constraints);
  const auto best = tradeoff_of(points[recommended], loss);
  std::map<std::string, Indexed> by_family;
  for (const Indexed& point : proven(points, loss)) {
    const Tradeoff hoped = optimistic(point.tradeoff);
    if (!best || point.index == recommended || !better(hoped, *best, aim) ||
        violation(points[point.index], hoped, constraints) > 0) {
      continue;
    }
    const Indexed own{.index = point.index, .tradeoff = hoped};
    const auto [place, is_new] = by_family.emplace(points[point.index].candidate.family(), own);
    if (!is_new && better(hoped, place->second.tradeoff, aim)) place->second = own;
  }
  std::vector<std::size_t> out;
  for (const auto& [family, point] : by_family) out.push_back(point.index);
  return out;
}

bool clearly_beaten(const Tradeoff& point, std::span<const TunePoint> points, UtilityLoss loss) {
  return std::ranges::any_of(proven(points, loss), [&](const Indexed& other) {
    return other.tradeoff.error.low >= point.error.high && other.tradeoff.loss.high <= point.loss.low;
  });
}

}  // namespace sotto
