#include "html/bins.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "html/text.h"

namespace sotto::html {
namespace {

constexpr double kStepSlack = 1e-9;

bool all_whole(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return value == std::floor(value); });
}

std::vector<double> linear_ends(const std::vector<double>& sorted, int about) {
  const double length = sorted.back() - sorted.front();
  const bool whole = all_whole(sorted);
  const double scale = std::max(std::abs(sorted.front()), std::abs(sorted.back()));
  if (length <= 1e-12 * scale || length == 0) {
    const double half = whole && scale < 1e12 ? 0.5 : std::max(scale / 100, 1e-9);
    return {sorted.front() - half, sorted.front() + half};
  }
  double step = round_step(length, about);
  if (whole) step = std::max(1.0, std::ceil(step));
  const double first = std::floor(sorted.front() / step + kStepSlack);
  // Whole numbers of step 1 get a bin each, the last one too.
  const double last =
      whole ? std::floor(sorted.back() / step) + 1 : std::ceil(sorted.back() / step - kStepSlack);
  std::vector<double> ends;
  for (int i = 0; first + i <= std::max(last, first + 1); ++i) ends.push_back((first + i) * step);
  return ends;
}

// Bins that hold 1, 1, ..., 2, ..., 3, ... whole numbers: with equal ratios some small bins would hold none
// and neighbours different numbers of them, a comb that the data do not have.
std::vector<double> whole_logarithmic_ends(const std::vector<double>& sorted, double ratio) {
  std::vector<double> ends = {sorted.front() - 0.5};
  double width = 1;
  while (ends.back() <= sorted.back()) {
    width = std::max(width, std::round(ends.back() * (ratio - 1)));
    ends.push_back(ends.back() + width);
  }
  return ends;
}

std::vector<double> logarithmic_ends(const std::vector<double>& sorted, int about) {
  // Logarithms, as the ratio itself may be too large for a double.
  const double length = std::log(sorted.back()) - std::log(sorted.front());
  if (length <= 1e-12) return {sorted.front() / 1.1, sorted.front() * 1.1};
  if (all_whole(sorted)) return whole_logarithmic_ends(sorted, std::exp(length / about));
  std::vector<double> ends;
  for (int i = 0; i <= about; ++i) ends.push_back(std::exp(std::log(sorted.front()) + length * i / about));
  ends.back() = sorted.back();
  return ends;
}

std::vector<double> counts(const std::vector<double>& sorted, const std::vector<double>& ends) {
  std::vector<double> out(ends.size() - 1, 0);
  for (const double value : sorted) {
    const auto above = std::ranges::upper_bound(ends, value) - ends.begin();
    // Rounding may leave the extremes a hair outside the ends.
    ++out[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(above - 1, 0, std::ssize(out) - 1))];
  }
  return out;
}

}  // namespace

Histogram histogram_of(std::span<const double> values, const BinRule& rule) {
  Histogram histogram;
  histogram.x.scale = rule.scale;
  std::vector<double> sorted;
  for (const double value : values) {
    if (drawable(histogram.x, value)) sorted.push_back(value);
  }
  if (sorted.size() < values.size()) {
    histogram.notes.push_back(fmt::format("Not drawn: {} without a finite value{}.",
                                          count(values.size() - sorted.size()),
                                          rule.scale == Axis::Scale::logarithmic ? " above 0" : ""));
  }
  if (sorted.empty()) return histogram;
  std::ranges::sort(sorted);
  if (sorted.front() == sorted.back()) {
    histogram.notes.push_back(fmt::format("All values are equal: {}.", number(sorted.front())));
  }
  const int about = std::max(1, rule.about);
  const std::vector<double> ends =
      rule.scale == Axis::Scale::linear ? linear_ends(sorted, about) : logarithmic_ends(sorted, about);
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) histogram.bins.push_back({ends[i], ends[i + 1]});
  Bars bars = {.heights = counts(sorted, ends)};
  if (rule.height == BinRule::Height::share) {
    for (double& height : bars.heights) height /= static_cast<double>(values.size());
  }
  histogram.series.push_back(std::move(bars));
  return histogram;
}

std::vector<ReferenceLine> quantile_lines(std::span<const double> values, std::span<const double> shares) {
  std::vector<double> sorted;
  std::ranges::copy_if(values, std::back_inserter(sorted), [](double value) { return !std::isnan(value); });
  std::ranges::sort(sorted);
  std::vector<ReferenceLine> lines;
  if (sorted.empty()) return lines;
  for (const double share : shares) {
    const double rank = std::ceil(share * static_cast<double>(sorted.size()));
    const auto index =
        static_cast<std::size_t>(std::clamp(rank, 1.0, static_cast<double>(sorted.size()))) - 1;
    const std::string name = share == 0.5 ? "median" : number(100 * share) + "%";
    lines.push_back(
        {ReferenceLine::Across::vertical, sorted[index], fmt::format("{} {}", name, number(sorted[index]))});
  }
  return lines;
}

}  // namespace sotto::html
