#include "html/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "html/text.h"

namespace sotto::html {
namespace {

constexpr double kLargest = 1e300;
constexpr double kSmallest = 1e-300;
constexpr int kParts = 5;
constexpr double kSlack = 1e-9;                 // of a step: ends that are ticks up to rounding are ticks
constexpr double kSameRelative = 1e-12;         // closer values are one value: their ticks would look alike
constexpr double kSmallestPlainTick = 0.99e-4;  // 1e-4 up to rounding
constexpr double kFurthest = 20;                // lengths of the axis; far beyond any edge of the drawing
constexpr std::array<double, 3> kRoundFactors = {1, 2, 5};

struct Range {
  double from = 0;
  double to = 1;
};

bool is_one_value(Range range) {
  return range.to - range.from <= kSameRelative * std::max(std::abs(range.from), std::abs(range.to));
}

Range around(Axis::Scale scale, double value) {
  if (scale == Axis::Scale::logarithmic) return {value / 3, value * 3};
  if (value == 0) return {-1, 1};
  return {value - std::abs(value) / 2, value + std::abs(value) / 2};
}

// Ends on ticks. A longer range may have a longer step, hence the second round.
Range rounded_out(Range range) {
  for (int round = 0; round < 2; ++round) {
    const double step = round_step(range.to - range.from, kParts);
    range = {std::floor(range.from / step + kSlack) * step, std::ceil(range.to / step - kSlack) * step};
  }
  return range;
}

double power_of_ten(int exponent) {
  // pow() need not be exact; the literal is.
  return std::strtod(fmt::format("1e{}", exponent).c_str(), nullptr);
}

int decade(double value) {
  return static_cast<int>(std::floor(std::log10(value) + kSlack));
}

// To the next 1, 2 or 5 times a power of ten on both sides.
Range rounded_out_logarithmic(Range range) {
  Range out = {power_of_ten(decade(range.from)), power_of_ten(decade(range.to) + 1)};
  for (const double factor : kRoundFactors) {
    const double low = factor * power_of_ten(decade(range.from));
    if (low <= range.from * (1 + kSlack)) out.from = low;
  }
  for (const double factor : {5.0, 2.0, 1.0}) {
    const double high = factor * power_of_ten(decade(range.to));
    if (high >= range.to * (1 - kSlack)) out.to = high;
  }
  return out;
}

Range rounded_out(Axis::Scale scale, Range range) {
  return scale == Axis::Scale::linear ? rounded_out(range) : rounded_out_logarithmic(range);
}

std::string tick_text(double value, double step) {
  const double size = std::max(std::abs(value), step);
  const int digits = std::clamp(decade(size) - decade(step), 0, 15);
  if (value == 0) return "0";
  if (size >= 1e6 || size < kSmallestPlainTick) {
    return short_exponent(fmt::format("{:.{}e}", value, digits));
  }
  if (step >= 1 && size >= 1000) {
    return (value < 0 ? "-" : "") + count(static_cast<std::uint64_t>(std::llround(std::abs(value))));
  }
  return fmt::format("{:.{}f}", value, std::max(0, -decade(step)));
}

std::vector<Tick> linear_ticks(Range range) {
  const double step = round_step(range.to - range.from, kParts);
  const double first = std::ceil(range.from / step - kSlack);
  const double last = std::floor(range.to / step + kSlack);
  std::vector<Tick> ticks;
  for (int i = 0; first + i <= last; ++i) {
    const double value = first + i == 0 ? 0 : (first + i) * step;
    ticks.push_back({value, tick_text(value, step)});
  }
  return ticks;
}

// Up to rounding, which on a logarithmic axis is relative.
bool within(Axis::Scale scale, Range range, double value) {
  if (scale == Axis::Scale::logarithmic) {
    return value >= range.from * (1 - kSlack) && value <= range.to * (1 + kSlack);
  }
  const double slack = kSlack * (range.to - range.from);
  return value >= range.from - slack && value <= range.to + slack;
}

std::vector<Tick> logarithmic_ticks(Range range) {
  const int first = decade(range.from);
  const int last = decade(range.to);
  const double decades = std::log10(range.to) - std::log10(range.from);
  const int stride = std::max(1, static_cast<int>(std::ceil(decades / 8)));
  int powers = 0;
  for (int k = first; k <= last; ++k)
    powers += within(Axis::Scale::logarithmic, range, power_of_ten(k)) ? 1 : 0;
  std::vector<Tick> ticks;
  for (int k = first; k <= last; ++k) {
    for (const double factor : kRoundFactors) {
      const double value = factor * power_of_ten(k);
      const bool whole = factor == 1;
      if (!within(Axis::Scale::logarithmic, range, value) || (stride > 1 && (!whole || k % stride != 0)))
        continue;
      const bool labelled = whole || decades < 2 || powers < 3;
      ticks.push_back({value, labelled ? tick_text(value, value) : ""});
    }
  }
  const auto labelled = std::ranges::count_if(ticks, [](const Tick& tick) { return !tick.text.empty(); });
  // A range well inside one decade.
  return labelled >= 3 ? ticks : linear_ticks(range);
}

}  // namespace

bool drawable(const Axis& axis, double value) {
  if (!(std::abs(value) <= kLargest)) return false;
  return axis.scale == Axis::Scale::linear || value >= kSmallest;
}

double round_step(double length, int parts) {
  const double raw = std::max(length, kSmallest) / parts;
  const double unit = power_of_ten(static_cast<int>(std::floor(std::log10(raw))));
  const double factor = raw / unit;
  if (factor < 1.5) return unit;
  if (factor < 3.5) return 2 * unit;
  return factor < 7.5 ? 5 * unit : 10 * unit;
}

FittedAxis::FittedAxis(const Axis& axis, std::span<const double> values) : scale_(axis.scale) {
  Range data = scale_ == Axis::Scale::linear ? Range{0, 1} : Range{1, 10};
  for (const double value : values) {
    if (!drawable(axis, value)) continue;
    data = has_values_ ? Range{std::min(data.from, value), std::max(data.to, value)} : Range{value, value};
    has_values_ = true;
  }
  has_range_ = has_values_ && !is_one_value(data);
  const auto fixed = [&](const std::optional<double>& end) { return end && drawable(axis, *end); };
  Range range = data;
  if (fixed(axis.from)) range.from = *axis.from;
  if (fixed(axis.to)) range.to = *axis.to;
  const bool impossible = fixed(axis.from) && fixed(axis.to) && is_one_value(range);
  if (impossible) range = data;
  const bool keeps_from = fixed(axis.from) && !impossible;
  const bool keeps_to = fixed(axis.to) && !impossible;
  // A fixed end beyond all data leaves nothing between it and them: the axis starts or stops there.
  if (range.to < range.from) range = keeps_from ? Range{range.from, range.from} : Range{range.to, range.to};
  Range outer = rounded_out(scale_, is_one_value(range) ? around(scale_, range.from) : range);
  from_ = keeps_from ? range.from : outer.from;
  to_ = keeps_to ? range.to : outer.to;
  ticks_ = scale_ == Axis::Scale::linear ? linear_ticks({from_, to_}) : logarithmic_ticks({from_, to_});
}

bool FittedAxis::shows(double value) const {
  return std::isfinite(value) && within(scale_, {from_, to_}, value);
}

double FittedAxis::place(double value) const {
  const double limited = std::clamp(value, -kLargest, kLargest);
  double place = 0;
  if (scale_ == Axis::Scale::linear) {
    place = (limited - from_) / (to_ - from_);
  } else {
    place =
        limited <= 0 ? -kFurthest : (std::log(limited) - std::log(from_)) / (std::log(to_) - std::log(from_));
  }
  return std::clamp(place, -kFurthest, kFurthest);
}

}  // namespace sotto::html
