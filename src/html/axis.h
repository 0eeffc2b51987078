#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sotto::html {

struct Axis {
  enum class Scale { linear, logarithmic };

  std::string label = {};
  Scale scale = Scale::linear;
  // The ends, where the data are not to choose them; ends that make no range on this scale are ignored.
  std::optional<double> from = {};
  std::optional<double> to = {};
};

struct Tick {
  double value = 0;
  std::string text = {};  // empty for a small tick between two labelled ones
};

// An axis with its ends and ticks settled. Any data give a proper range: nothing that can be drawn gives 0 to
// 1 (1 to 10), one value alone a range around it.
class FittedAxis {
 public:
  FittedAxis(const Axis& axis, std::span<const double> values);

  double from() const { return from_; }
  double to() const { return to_; }
  const std::vector<Tick>& ticks() const { return ticks_; }
  // Whether any of the values could be drawn, and whether they were more than one.
  bool has_values() const { return has_values_; }
  bool has_range() const { return has_range_; }

  bool shows(double value) const;
  // 0 at `from`, 1 at `to`; values outside lie outside, but never further than a page's breadth. What has no
  // place (0 on a logarithmic axis, infinity) lies beyond the end that it tends to; NaN is not allowed.
  double place(double value) const;

 private:
  Axis::Scale scale_;
  double from_ = 0;
  double to_ = 1;
  bool has_values_ = false;
  bool has_range_ = false;
  std::vector<Tick> ticks_ = {};
};

// Finite, and above 0 on a logarithmic axis. Sizes over 1e300 (and, on a logarithmic axis, below 1e-300)
// count as infinite, so that no difference or ratio overflows.
bool drawable(const Axis& axis, double value);

// The step 1, 2 or 5 times a power of ten that divides `length` (above 0) into about `parts`.
double round_step(double length, int parts);

}  // namespace sotto::html
