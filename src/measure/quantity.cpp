#include "sotto/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {
constexpr double kNormal95 = 1.959963984540054;
}

std::string_view quantity_kind_name(QuantityKind kind) {
  switch (kind) {
    case QuantityKind::exact:
      return "exact";
    case QuantityKind::sampled:
      return "sampled";
    case QuantityKind::bracket:
      return "bracket";
    case QuantityKind::unavailable:
      break;
  }
  return "unavailable";
}

std::string quantity_number(double value) {
  if (!std::isfinite(value)) return "infinite";
  // Adversaries near certainty have small errors.
  if (value != 0 && std::abs(value) < 1e-4) return fmt::format("{:.1e}", value);
  return std::abs(value) >= 100 ? fmt::format("{:.1f}", value) : fmt::format("{:.4f}", value);
}

Quantity exact_quantity(std::string name, double value, std::string meaning) {
  return {.name = std::move(name),
          .kind = QuantityKind::exact,
          .value = value,
          .interval = {.low = value, .high = value},
          .meaning = std::move(meaning)};
}

Quantity sampled_quantity(std::string name, const Sampled& sample, std::string meaning) {
  const auto count = static_cast<double>(sample.values.size());
  if (sample.values.empty()) return unavailable_quantity(std::move(name), "no draw fell here");
  double mean = 0;
  for (const double value : sample.values) mean += value / count;
  double spread = 0;
  for (const double value : sample.values) spread += (value - mean) * (value - mean);
  const double deviation = count > 1 ? std::sqrt(spread / (count - 1) / count) : 0;
  const double margin = std::max(kNormal95 * deviation, 3 * sample.range / count);
  const double top = sample.range > 0 ? sample.range : mean + margin;
  return {.name = std::move(name),
          .kind = QuantityKind::sampled,
          .value = mean,
          .interval = {.low = std::max(0.0, mean - margin), .high = std::min(top, mean + margin)},
          .meaning = std::move(meaning)};
}

Quantity unavailable_quantity(std::string name, std::string reason) {
  return {.name = std::move(name), .kind = QuantityKind::unavailable, .meaning = std::move(reason)};
}

Quantity median_quantity(std::string name, std::span<double> values, std::string meaning) {
  if (values.empty()) return unavailable_quantity(std::move(name), "no draw fell here");
  std::ranges::sort(values);
  const auto count = static_cast<double>(values.size());
  const double reach = kNormal95 * std::sqrt(count) / 2 + 1;
  const auto at = [&](double place) {
    return values[static_cast<std::size_t>(std::clamp(place, 0.0, count - 1))];
  };
  return {.name = std::move(name),
          .kind = QuantityKind::sampled,
          .value = at((count - 1) / 2),
          .interval = {.low = at(count / 2 - reach), .high = at(count / 2 + reach)},
          .meaning = std::move(meaning)};
}

}  // namespace sotto
