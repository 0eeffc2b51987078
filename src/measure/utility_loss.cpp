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
constexpr std::array<LossRow, 5> kLosses = {{
    {"changed", "loss_changed", "probability that a word is replaced by another"},
    {"distance", "loss_distance", "mean distance moved"},
    {"label", "label_not_kept",
     "probability that a word with a label becomes a word with another label or with none"},
    {"flip", "loss_label", "probability that a word with a label becomes a word with another label"},
    {"task", "loss_task", "the number that the downstream task gives to a private copy of the text"},
}};

}  // namespace

std::string_view loss_name(UtilityLoss loss) {
  return kLosses[static_cast<std::size_t>(loss)].name;
}
UtilityLoss parse_loss(std::string_view name) {
  const auto found = std::ranges::find(kLosses, name, &LossRow::name);
  const auto loss = static_cast<UtilityLoss>(found - kLosses.begin());
  if (found != kLosses.end() && loss != UtilityLoss::task) return loss;
  throw Error(ErrorCode::usage,
              fmt::format("`loss` {}: it must be changed, distance, label, flip or command:PROGRAM", name));
}
std::string_view loss_quantity(UtilityLoss loss) {
  return kLosses[static_cast<std::size_t>(loss)].quantity;
}
std::string loss_meaning(UtilityLoss loss) {
  return std::string(kLosses[static_cast<std::size_t>(loss)].meaning);
}

}  // namespace sotto
