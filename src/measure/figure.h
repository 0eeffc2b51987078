#pragma once
#include <optional>
#include <span>
#include <string>

namespace sotto {

struct Bounds {
  double low = 0;
  double high = 0;
};

// exact: up to rounding. sampled: an unbiased estimate with a 95% interval. bracket: the truth lies between
// two quantities that are estimated, see sampled_adversary.h. unavailable: `meaning` says why.
enum class FigureKind { exact, sampled, bracket, unavailable };
std::string_view figure_kind_name(FigureKind kind);

// One measured quantity. A bracket has no value, only its ends.
struct Figure {
  std::string name;  // "e_opt"
  FigureKind kind = FigureKind::unavailable;
  std::optional<double> value = {};
  Bounds interval = {};                // value twice if exact; at 95%
  std::optional<Bounds> bracket = {};  // the estimated ends, without their own uncertainty
  std::string meaning;                 // one sentence
};

// Of a figure, for people: four digits after the point, fewer for distances and counts above 100.
std::string figure_number(double value);

Figure exact_figure(std::string name, double value, std::string meaning);
// Mean of independent values, with the interval of the normal approximation. `range`: of the values, 1 for
// shares; the half width is then at least 3/count (rule of three); 0: unknown.
struct Sampled {
  std::span<const double> values;
  double range = 0;
};
Figure sampled_figure(std::string name, const Sampled& sample, std::string meaning);
Figure unavailable_figure(std::string name, std::string reason);
// Median of the values, with the interval between order statistics (binomial, normal approximation).
Figure median_figure(std::string name, std::span<double> values, std::string meaning);

}  // namespace sotto
