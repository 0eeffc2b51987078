#include "core/bound_text.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <limits>

namespace sotto {
namespace {

// The neighbour of `text` among decimals with that many digits, in the direction of `toward`. Stepping the
// double until the printed text changes sides keeps the decimal arithmetic in the library's hands.
std::string rounded(double value, int digits, double toward) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  const auto is_on_side = [&](const std::string& text) {
    const double read = std::strtod(text.c_str(), nullptr);
    return toward > 0 ? read >= value : read <= value;
  };
  std::string text = fmt::format("{:.{}g}", value, digits);
  // The printed decimal is within half a unit in the last place of `value`; one whole unit suffices.
  if (is_on_side(text)) return text;
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - (digits - 1));
  for (double step = 0.5; !is_on_side(text); step += 0.25) {
    text = fmt::format("{:.{}g}", value + std::copysign(step * unit, toward), digits);
  }
  return text;
}

}  // namespace

std::string rounded_up(double value, int digits) {
  return rounded(value, digits, std::numeric_limits<double>::infinity());
}

double next_up(double value) {
  return std::nextafter(value, std::numeric_limits<double>::infinity());
}

double product_up(double one, double other) {
  const double product = one * other;
  return std::fma(one, other, -product) > 0 ? next_up(product) : product;
}

// Knuth's two-sum: `error` is exactly what rounding took away.
double sum_up(double one, double other) {
  const double sum = one + other;
  if (!std::isfinite(sum)) return sum;
  const double part = sum - one;
  const double error = (one - (sum - part)) + (other - part);
  return error > 0 ? next_up(sum) : sum;
}

std::string rounded_down(double value, int digits) {
  return rounded(value, digits, -std::numeric_limits<double>::infinity());
}

}  // namespace sotto
