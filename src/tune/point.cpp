#include "tune/point.h"

#include <algorithm>
#include <array>

namespace sotto {
namespace {

struct LossRow {
  std::string_view name;
  std::string_view figure;
  std::string_view meaning;
};
constexpr std::array<LossRow, 4> kLosses = {{
    {"changed", "loss_changed", "probability that a word is replaced by another"},
    {"distance", "loss_distance", "mean distance moved"},
    {"label", "label_not_kept",
     "probability that a word with a label becomes a word with another label or with none"},
    {"flip", "loss_label", "probability that a word with a label becomes a word with another label"},
}};

}  // namespace

std::string_view loss_name(UtilityLoss loss) {
  return kLosses[static_cast<std::size_t>(loss)].name;
}
std::string_view loss_figure(UtilityLoss loss) {
  return kLosses[static_cast<std::size_t>(loss)].figure;
}
std::string loss_meaning(UtilityLoss loss) {
  return std::string(kLosses[static_cast<std::size_t>(loss)].meaning);
}

const Figure* TunePoint::find(std::string_view figure) const {
  const auto found = std::ranges::find(figures, figure, &Figure::name);
  return found == figures.end() ? nullptr : &*found;
}

std::optional<Bounds> TunePoint::bounds(std::string_view figure) const {
  const Figure* found = find(figure);
  if (found == nullptr || found->kind == FigureKind::unavailable) return std::nullopt;
  return found->interval;
}

std::optional<double> TunePoint::middle(std::string_view figure) const {
  const Figure* found = find(figure);
  if (found == nullptr || found->kind == FigureKind::unavailable) return std::nullopt;
  if (found->value) return found->value;
  const Bounds ends = found->bracket.value_or(found->interval);
  return (ends.low + ends.high) / 2;
}

Strength TunePoint::strength() const {
  return strength_of(1 - middle("loss_changed").value_or(0));
}

std::optional<Tradeoff> tradeoff_of(const TunePoint& point, UtilityLoss loss) {
  const auto error = point.bounds("e_opt");
  const auto lost = point.bounds(loss_figure(loss));
  if (!error || !lost) return std::nullopt;
  return Tradeoff{.error = *error, .loss = *lost};
}

}  // namespace sotto
