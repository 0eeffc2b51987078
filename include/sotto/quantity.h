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
enum class QuantityKind { exact, sampled, bracket, unavailable };
std::string_view quantity_kind_name(QuantityKind kind);

// One measured quantity. A bracket has no value, only its ends.
struct Quantity {
  std::string name;  // "e_opt"
  QuantityKind kind = QuantityKind::unavailable;
  std::optional<double> value = {};
  Bounds interval = {};                // value twice if exact; at 95%
  std::optional<Bounds> bracket = {};  // the estimated ends, without their own uncertainty
  std::string meaning;                 // one sentence
};

// Of a quantity, for people: four digits after the point, fewer for distances and counts above 100.
std::string quantity_number(double value);

Quantity exact_quantity(std::string name, double value, std::string meaning);
// Mean of independent values, with the interval of the normal approximation. `range`: of the values, 1 for
// shares; the half width is then at least 3/count (rule of three); 0: unknown.
struct Sampled {
  std::span<const double> values;
  double range = 0;
};
Quantity sampled_quantity(std::string name, const Sampled& sample, std::string meaning);
Quantity unavailable_quantity(std::string name, std::string reason);
// Median of the values, with the interval between order statistics (binomial, normal approximation).
Quantity median_quantity(std::string name, std::span<double> values, std::string meaning);

}  // namespace sotto
