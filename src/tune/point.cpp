#include "tune/point.h"

#include <algorithm>
#include <array>

namespace sotto {
const Quantity* TunePoint::find(std::string_view quantity) const {
  const auto found = std::ranges::find(quantities, quantity, &Quantity::name);
  return found == quantities.end() ? nullptr : &*found;
}

std::optional<Bounds> TunePoint::bounds(std::string_view quantity) const {
  const Quantity* found = find(quantity);
  if (found == nullptr || found->kind == QuantityKind::unavailable) return std::nullopt;
  return found->interval;
}

std::optional<double> TunePoint::middle(std::string_view quantity) const {
  const Quantity* found = find(quantity);
  if (found == nullptr || found->kind == QuantityKind::unavailable) return std::nullopt;
  if (found->value) return found->value;
  const Bounds ends = found->bracket.value_or(found->interval);
  // The lower end of a bracket is a plug-in: it may lie below the interval that is known to hold the figure.
  return std::clamp((ends.low + ends.high) / 2, found->interval.low, found->interval.high);
}

std::optional<double> TunePoint::drawn(std::string_view quantity) const {
  const Quantity* found = find(quantity);
  if (found != nullptr && !found->value && found->bracket) return found->bracket->high;
  return middle(quantity);
}

Strength TunePoint::strength() const {
  return strength_of(1 - middle("loss_changed").value_or(0));
}

std::optional<Tradeoff> tradeoff_of(const TunePoint& point, UtilityLoss loss) {
  const auto error = point.bounds("e_opt");
  const auto lost = point.bounds(loss_quantity(loss));
  if (!error || !lost) return std::nullopt;
  return Tradeoff{.error = *error, .loss = *lost};
}

}  // namespace sotto
