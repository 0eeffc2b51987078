#include "measure/utility_loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sotto/error.h"

namespace sotto {
namespace {

struct LossRow {
  std::string_view name;
  std::string_view quantity;
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
UtilityLoss parse_loss(std::string_view name) {
  const auto found = std::ranges::find(kLosses, name, &LossRow::name);
  if (found != kLosses.end()) return static_cast<UtilityLoss>(found - kLosses.begin());
  throw Error(ErrorCode::usage, fmt::format("`loss` {}: it must be changed, distance, label or flip", name));
}
std::string_view loss_quantity(UtilityLoss loss) {
  return kLosses[static_cast<std::size_t>(loss)].quantity;
}
std::string loss_meaning(UtilityLoss loss) {
  return std::string(kLosses[static_cast<std::size_t>(loss)].meaning);
}

}  // namespace sotto
