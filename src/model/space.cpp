#include "sotto/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "model/distance_kernels.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::array<std::string_view, 6> kMetricNames = {"euclidean", "manhattan", "chebyshev",
                                                          "angular",   "chord",     "poincare"};
// Closer to the edge of the ball the Poincare distance has too few correct digits (mechanisms.md section 4).
constexpr double kSmallestRoom = 1e-6;

// A fixed direction with unequal coordinates in [0.5, 1.5): words that differ in one coordinate only (one-hot
// vectors) still fall apart along it.
std::vector<double> sweep_direction(std::size_t dim) {
  std::vector<double> direction(dim);
  for (std::size_t j = 0; j < dim; ++j) {
    std::uint64_t x = (j + 1) * 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 31)) * 0xBF58476D1CE4E5B9ULL;
    x ^= x >> 29;
    direction[j] = 0.5 + std::ldexp(static_cast<double>(x >> 11), -53);
  }
  return direction;
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
      "--metric "
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
  return space;
}

void Space::find_scales() {
  const bool unit = metric_ == Metric::angular || metric_ == Metric::chord;
  if (!unit && metric_ != Metric::poincare) return;
  const std::size_t stride = model_->stride();
  const std::vector<float> zero(stride, 0.0F);
  scales_.resize(size());
  for (std::size_t i = 0; i < size(); ++i) {
    const double square = squared_distance(model_->rows() + i * stride, zero.data(), stride);
    scales_[i] = unit ? 1 / std::sqrt(square) : 1 - square;
    if (unit && !(square > 0)) {
      throw Error(ErrorCode::bad_data,
                  fmt::format("the word of rank {} has a zero vector, which has no angle; "
                              "use --metric euclidean, or import the model without it",
                              i + 1));
    }
    if (!unit && !(scales_[i] >= kSmallestRoom)) {
      throw Error(
          ErrorCode::bad_data,
          fmt::format(
              "the vector of the word of rank {} has length {:.6g}; the Poincare distance needs vectors "
              "inside the unit ball, 1 - length^2 at least 1e-6: import hyperbolic vectors, or use "
              "--mechanism tem with another metric",
              i + 1, std::sqrt(square)));
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

double Space::distance_error() const noexcept {
  const double h = std::ldexp(static_cast<double>(model_->dim() + 4) * diameter_bound_, -53);
  if (metric_ == Metric::angular || metric_ == Metric::chord) return h + std::ldexp(1.0, -50);
  if (metric_ == Metric::poincare) return h / *std::min_element(scales_.begin(), scales_.end());
  return h;
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

// The largest |<r,a> - <r,b>| of two words closer than tau: |r|_2 |a-b|_2 by Cauchy and Schwarz, and |a-b|_2
// is at most the manhattan distance, the angle (of the unit vectors) and sinh(tau/2) in the ball; |r|_1 for
// the maximum.
double Space::sweep_window(double tau, const std::vector<double>& direction) const {
  if (metric_ == Metric::chebyshev) return tau * std::accumulate(direction.begin(), direction.end(), 0.0);
  const double norm =
      std::sqrt(std::inner_product(direction.begin(), direction.end(), direction.begin(), 0.0));
  return (metric_ == Metric::poincare ? std::sinh(tau / 2) : tau) * norm;
}

// Groups are the connected components of "closer than tau". tau = 2^-19 of the largest distance R from
// word 0; as R <= D <= 2R, tau lies between 2^-20 D and 2^-19 D, and words of different groups are at
// least tau apart. Candidates come from a sweep along a projection, as wide as sweep_window says.
void Space::find_groups() {
  const std::size_t n = size();
  double reach = 0;
  for (std::size_t i = 1; i < n; ++i) reach = std::max(reach, raw_distance(0, i));
  const double tau = std::ldexp(reach, -19);
  smallest_bound_ = tau;
  diameter_bound_ = 2 * reach;
  if (metric_ == Metric::angular) diameter_bound_ = std::min(diameter_bound_, std::numbers::pi);
  if (metric_ == Metric::chord) diameter_bound_ = std::min(diameter_bound_, 2.0);

  const std::vector<double> direction = sweep_direction(model_->dim());
  std::vector<double> along(n, 0.0);
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::span<const float> x = model_->vector(word_id(i));
    for (std::size_t j = 0; j < x.size(); ++j) along[i] += direction[j] * x[j];
    if (metric_ == Metric::angular || metric_ == Metric::chord) along[i] *= scales_[i];
    largest = std::max(largest, std::abs(along[i]));
  }
  const double rounding = std::ldexp(largest * static_cast<double>(model_->dim() + 4), -48);
  const double window = sweep_window(tau, direction) + rounding;

  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return along[a] != along[b] ? along[a] < along[b] : a < b; });
  std::vector<std::size_t> first(n);
  std::iota(first.begin(), first.end(), std::size_t{0});
  const auto root = [&](std::size_t i) {
    while (first[i] != i) i = first[i] = first[first[i]];
    return i;
  };
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n && along[order[j]] - along[order[i]] <= window; ++j) {
      const std::size_t a = root(order[i]);
      const std::size_t b = root(order[j]);
      if (a == b) continue;
      const double apart = raw_distance(order[i], order[j]);
      if (apart < tau || apart == 0) first[std::max(a, b)] = std::min(a, b);
      // What is close to one of two identical vectors is close to the other, which comes next: without
      // this a model with many equal vectors would take quadratic time.
      if (apart == 0) break;
    }
  }
  for (std::size_t i = 0; i < n; ++i) merged_words_ += root(i) != i ? 1 : 0;
  if (merged_words_ == 0) return;
  representatives_.resize(n);
  for (std::size_t i = 0; i < n; ++i) representatives_[i] = word_id(root(i));
  if (merged_words_ == n - 1) smallest_bound_ = 0;
}

}  // namespace sotto
