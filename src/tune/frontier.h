#pragma once
#include <optional>
#include <span>
#include <vector>

#include "tune/point.h"

namespace sotto {

// What a setting must keep. All are judged on the pessimistic ends of the intervals.
struct Constraints {
  std::optional<double> max_loss = {};
  std::optional<double> min_inference_error = {};
  std::optional<double> max_certified_epsilon = {};
  [[nodiscard]] bool any() const { return max_loss || min_inference_error || max_certified_epsilon; }
};

// Indexes of the proven points that no proven point beats: E_opt at least as large and L at most as large,
// one of them strictly, on the pessimistic ends. By L, then by E_opt.
std::vector<std::size_t> frontier(std::span<const TunePoint> points, UtilityLoss loss);

// Proven, and within all constraints.
bool keeps(const TunePoint& point, UtilityLoss loss, const Constraints& constraints);

// Indexes of the points that are within all constraints but have no proven guarantee: they are never
// recommended, and the answer says so.
std::vector<std::size_t> within_unproven(std::span<const TunePoint> points, UtilityLoss loss,
                                         const Constraints& constraints);

// What is best among points that keep the constraints: the least L if an inference error or only an epsilon
// is asked for, else the largest E_opt.
enum class Aim { largest_error, least_loss };
Aim aim_of(const Constraints& constraints);
bool better(const Tradeoff& a, const Tradeoff& b, Aim aim);

struct Choice {
  std::optional<std::size_t> recommended = {};
  std::optional<std::size_t> nearest = {};  // if none is recommended: the least violation
  bool nearest_may_fit = false;             // its optimistic ends keep the constraints
};
Choice choose(std::span<const TunePoint> points, UtilityLoss loss, const Constraints& constraints);

// Indexes of proven points whose optimistic ends keep the constraints and are better than the recommended
// point: they are known from draws only, and more draws may prefer them. The most promising of each family.
std::vector<std::size_t> undecided(std::span<const TunePoint> points, std::size_t recommended,
                                   UtilityLoss loss, const Constraints& constraints);

// Whether somebody else of `points` is certainly better in both respects.
bool clearly_beaten(const Tradeoff& point, std::span<const TunePoint> points, UtilityLoss loss);

}  // namespace sotto
