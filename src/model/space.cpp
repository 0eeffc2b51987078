#include "sotto/space.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <unordered_map>

#include "model/distance_kernels.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::array<std::string_view, 6> kMetricNames = {"euclidean", "manhattan", "chebyshev",
                                                          "angular",   "chord",     "poincare"};
// Closer to the edge of the ball the Poincare distance has too few correct digits (docs/specification.md
// section 4).
constexpr double kSmallestRoom = 1e-6;

// |x|^2 as high + low, within 2^-90 of itself: products of floats are exact in double, and Knuth's sum keeps
// what each addition rounds away.
struct SquaredLength {
  double high = 0;
  double low = 0;
};
SquaredLength squared_length(std::span<const float> vector) {
  SquaredLength sum;
  for (const float x : vector) {
    const double square = static_cast<double>(x) * static_cast<double>(x);
    const double next = sum.high + square;
    const double part = next - sum.high;
    sum.low += (sum.high - (next - part)) + (square - part);
    sum.high = next;
  }
  return sum;
}

// What two vectors must have in common to share a row (space.h), as doubles to compare.
void row_key(std::span<const float> vector, bool is_directional, std::vector<double>& key) {
  double length = 1;
  if (is_directional) {
    const auto pivot = std::ranges::find_if(vector, [](float x) { return x != 0; });
    length = std::abs(static_cast<double>(*pivot));
  }
  key.resize(vector.size());
  // The 0 that is added makes 0 of -0.
  std::ranges::transform(vector, key.begin(), [&](float x) { return static_cast<double>(x) / length + 0.0; });
}

}  // namespace

std::string_view metric_name(Metric metric) {
  return kMetricNames[static_cast<std::size_t>(metric)];
}

std::span<const std::string_view> metric_names() {
  return kMetricNames;
}

std::span<const Parameter::Refusal> metric_refusals() {
  static constexpr std::string_view kReason =
      "1 - cosine is not a metric (it breaks the triangle inequality, and with it the guarantee); use "
      "`metric` "
      "angular, the angle in radians";
  static constexpr std::array<Parameter::Refusal, 2> kRefusals = {
      {{"cosine", kReason}, {"1-cosine", kReason}}};
  return kRefusals;
}

Metric parse_metric(std::string_view name) {
  for (std::size_t i = 0; i < kMetricNames.size(); ++i) {
    if (kMetricNames[i] == name) return static_cast<Metric>(i);
  }
  throw Error(ErrorCode::usage, fmt::format("there is no metric \"{}\"; the metrics are {}", name,
                                            fmt::join(kMetricNames, ", ")));
}

Space::Space(std::shared_ptr<const Model> model, Metric metric) : model_(std::move(model)), metric_(metric) {}

std::shared_ptr<const Space> Space::make(std::shared_ptr<const Model> model, Metric metric) {
  std::shared_ptr<Space> space(new Space(std::move(model), metric));
  space->find_scales();
  space->find_groups();
  space->find_reach();
  return space;
}

void Space::find_scales() {
  if (!is_directional() && metric_ != Metric::poincare) return;
  scales_.resize(size());
  for (std::size_t i = 0; i < size(); ++i) {
    const SquaredLength square = squared_length(model_->vector(word_id(i)));
    if (is_directional()) {
      scales_[i] = 1 / std::sqrt(square.high + square.low);
      if (square.high > 0) continue;
      throw Error(ErrorCode::bad_data,
                  fmt::format("the word of rank {} has a zero vector, which has no angle; "
                              "use `metric` euclidean, or import the model without it",
                              i + 1));
    }
    // 1 - high is exact from 1/2 on, and has few wrong bits below.
    scales_[i] = (1 - square.high) - square.low;
    if (!(scales_[i] >= kSmallestRoom)) {
      throw Error(
          ErrorCode::bad_data,
          fmt::format(
              "the vector of the word of rank {} has length {:.6g}; the Poincare distance needs vectors "
              "inside the unit ball, 1 - length^2 at least 1e-6: import hyperbolic vectors, or use "
              "`mechanism` tem with another metric",
              i + 1, std::sqrt(square.high)));
    }
  }
}

double Space::raw_distance(std::size_t a, std::size_t b) const {
  const std::size_t stride = model_->stride();
  const float* x = model_->rows() + a * stride;
  const float* y = model_->rows() + b * stride;
  switch (metric_) {
    case Metric::euclidean:
      return std::sqrt(squared_distance(x, y, stride));
    case Metric::manhattan:
      return absolute_sum(x, y, stride);
    case Metric::chebyshev:
      return absolute_maximum(x, y, stride);
    case Metric::chord:
      return std::sqrt(scaled_sums({x, scales_[a]}, {y, scales_[b]}, stride).difference);
    case Metric::angular: {
      const ScaledSums sums = scaled_sums({x, scales_[a]}, {y, scales_[b]}, stride);
      // Kahan's angle: accurate near 0 and pi, and exactly 0 on identical vectors, where acos is not.
      return 2 * std::atan2(std::sqrt(sums.difference), std::sqrt(sums.sum));
    }
    case Metric::poincare:
      return 2 * std::asinh(std::sqrt(squared_distance(x, y, stride)) / std::sqrt(scales_[a] * scales_[b]));
  }
  throw Error(ErrorCode::internal, "a space has an unknown metric");
}

// In units of 2^-53, d being the exact distance (docs/proofs/tem.md has the steps):
// - a sum of dim squares of float32 differences errs by dim + 2 of itself, its root by dim / 2 + 2; sums of
//   absolute values and maxima err by less. Nothing is absolute: no such square leaves the range of a double.
// - angular, chord: the unit vectors are off by 3.5 each, which the 8 of 2^-50 cover twice over both.
// - angular, poincare: quotient, atan and asinh (of the vectorised library: 3 units in the last place) add 8.
DistanceError Space::distance_error() const noexcept {
  const bool is_plain = !is_directional() && metric_ != Metric::poincare;
  const auto dim = static_cast<double>(model_->dim());
  return {.relative = std::ldexp(dim + (is_plain ? 4 : 16), -53),
          .absolute = is_directional() ? std::ldexp(1.0, -50) : 0.0};
}

double Space::distance(WordId a, WordId b) const {
  return raw_distance(index_of(representative(a)), index_of(representative(b)));
}

void Space::distances_from(WordId from, std::span<double> out) const {
  const std::size_t source = index_of(representative(from));
  const std::size_t n = size();
  const std::size_t stride = model_->stride();
  if (metric_ == Metric::euclidean) {
    squared_distances(model_->rows() + source * stride, model_->rows(), n, stride, out.data());
    for (double& value : out) value = std::sqrt(value);
  } else {
    for (std::size_t y = 0; y < n; ++y) out[y] = raw_distance(source, y);
  }
  // A representative precedes its group, so its entry is final when it is copied.
  for (std::size_t y = 0; y < representatives_.size(); ++y) out[y] = out[index_of(representatives_[y])];
}

void Space::find_groups() {
  const std::size_t n = size();
  std::unordered_map<std::uint64_t, std::size_t> first_of;  // by the hash of the key
  first_of.reserve(n);
  std::vector<double> key;
  std::vector<double> other;
  for (std::size_t i = 0; i < n; ++i) {
    row_key(model_->vector(word_id(i)), is_directional(), key);
    std::uint64_t hash = XXH3_64bits(key.data(), key.size() * sizeof(double));
    for (;; ++hash) {  // past keys that have the same hash by chance
      const auto [found, is_new] = first_of.try_emplace(hash, i);
      if (is_new) break;
      row_key(model_->vector(word_id(found->second)), is_directional(), other);
      if (key != other) continue;
      if (representatives_.empty()) {
        representatives_.resize(n);
        for (std::size_t w = 0; w < n; ++w) representatives_[w] = word_id(w);
      }
      representatives_[i] = word_id(found->second);
      ++merged_words_;
      break;
    }
  }
}

// Twice the largest distance from word 0, by the triangle inequality, and the errors of three distances: of
// the two that are added, and of the one that the bound is compared with.
void Space::find_reach() {
  if (has_one_row()) return;
  double reach = 0;
  for (std::size_t i = 1; i < size(); ++i) reach = std::max(reach, raw_distance(0, i));
  const DistanceError error = distance_error();
  diameter_bound_ = (2 * reach + 4 * error.absolute) * (1 + 3 * error.relative);
  if (metric_ == Metric::angular)
    diameter_bound_ = std::min(diameter_bound_, std::numbers::pi * (1 + error.relative));
  if (metric_ == Metric::chord) diameter_bound_ = std::min(diameter_bound_, 2.0 * (1 + error.relative));
}

}  // namespace sotto
