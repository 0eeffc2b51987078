#include "model/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "sotto/error.h"

namespace sotto {
namespace {

double same(PairSum sum, double /*rooms*/) {
  return sum.value;
}
double root(PairSum sum, double /*rooms*/) {
  return std::sqrt(sum.value);
}
// Kahan's angle: accurate near 0 and pi, and exactly 0 on identical vectors, where acos is not.
double angle(PairSum sum, double /*rooms*/) {
  return 2 * std::atan2(std::sqrt(sum.value), std::sqrt(sum.total));
}
double hyperbolic(PairSum sum, double rooms) {
  return 2 * std::asinh(std::sqrt(sum.value) / std::sqrt(rooms));
}

template <double (*Pair)(PairSum, double)>
void each(const RowSums& sums) {
  const RowSums row = sums;
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    row.values[i] = Pair({.value = row.values[i], .total = row.totals[i]},
                         row.rooms == nullptr ? 1 : row.own_room * row.rooms[i]);
  }
}

// A finish written for one pair. `panel` is an option: a quicker form for AllPairs.
template <double (*Pair)(PairSum, double)>
constexpr Finish finish_by(void (*panel)(const RowSums&) = each<Pair>) {
  return {.pair = Pair, .row = each<Pair>, .panel = panel};
}

// A metric is one row. Rows are added at the end: their numbers are the values of Metric.
//
// error_units in units of 2^-53, d being the exact distance (docs/proofs/tem.md has the steps):
// - a sum of dim squares of float32 differences errs by dim + 2 of itself, its root by dim / 2 + 2; sums of
//   absolute values and maxima err by less. Nothing is absolute: no such square leaves the range of a double.
// - unit_length: the unit vectors are off by 3.5 each, which the 8 of 2^-50 cover twice over both.
// - angular, poincare: quotient, atan and asinh (of the vectorised library: 3 units in the last place) add 8.
constexpr auto kMetrics = std::to_array<MetricInfo>({
    {.name = "euclidean", .finish = finish_by<root>(square_roots), .error_units = 4},
    {.name = "manhattan", .sum = CoordinateSum::absolutes, .finish = finish_by<same>(), .error_units = 4},
    {.name = "chebyshev", .sum = CoordinateSum::maxima, .finish = finish_by<same>(), .error_units = 4},
    {.name = "angular",  // the angle in radians
     .scaling = Scaling::unit_length,
     .sum = CoordinateSum::squares_and_sums,
     .finish = finish_by<angle>(angles),
     .error_units = 16,
     .absolute_error = 0x1p-50,
     .largest = std::numbers::pi},
    {.name = "chord",  // the Euclidean distance of the unit vectors
     .scaling = Scaling::unit_length,
     .finish = finish_by<root>(square_roots),
     .error_units = 16,
     .absolute_error = 0x1p-50,
     .largest = 2},
    {.name = "poincare",  // the hyperbolic distance in the unit ball
     .scaling = Scaling::unit_ball,
     .finish = finish_by<hyperbolic>(hyperbolic_distances),
     .error_units = 16},
});

constexpr auto kNames = [] {
  std::array<std::string_view, kMetrics.size()> names;
  std::ranges::transform(kMetrics, names.begin(), &MetricInfo::name);
  return names;
}();
static_assert(kNames[static_cast<std::size_t>(Metric::poincare)] == "poincare");

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

double unit_factor(const SquaredLength& square, std::size_t rank) {
  if (square.high > 0) return 1 / std::sqrt(square.high + square.low);
  throw Error(ErrorCode::bad_data, fmt::format("the word of rank {} has a zero vector, which has no angle; "
                                               "use `metric` euclidean, or import the model without it",
                                               rank));
}

double room_in_ball(const SquaredLength& square, std::size_t rank) {
  // Closer to the edge of the ball the Poincare distance has too few correct digits (docs/specification.md
  // section 4).
  constexpr double kSmallestRoom = 1e-6;
  // 1 - high is exact from 1/2 on, and has few wrong bits below.
  const double room = (1 - square.high) - square.low;
  if (room >= kSmallestRoom) return room;
  throw Error(
      ErrorCode::bad_data,
      fmt::format("the vector of the word of rank {} has length {:.6g}; the Poincare distance needs vectors "
                  "inside the unit ball, 1 - length^2 at least 1e-6: import hyperbolic vectors, or use "
                  "`mechanism` tem with another metric",
                  rank, std::sqrt(square.high)));
}

}  // namespace

std::span<const MetricInfo> metric_table() {
  return kMetrics;
}

const MetricInfo& metric_info(Metric metric) {
  return kMetrics.at(static_cast<std::size_t>(metric));
}

bool is_euclidean(const MetricInfo& info) {
  return info.scaling == Scaling::none && info.sum == CoordinateSum::squares && info.finish.pair == root;
}

double scale_of(Scaling scaling, std::span<const float> vector, std::size_t rank) {
  const SquaredLength square = squared_length(vector);
  return scaling == Scaling::unit_length ? unit_factor(square, rank) : room_in_ball(square, rank);
}

std::string_view metric_name(Metric metric) {
  return metric_info(metric).name;
}

std::span<const std::string_view> metric_names() {
  return kNames;
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
  const auto found = std::ranges::find(kNames, name);
  if (found != kNames.end()) return static_cast<Metric>(found - kNames.begin());
  throw Error(ErrorCode::usage,
              fmt::format("there is no metric \"{}\"; the metrics are {}", name, fmt::join(kNames, ", ")));
}

}  // namespace sotto
