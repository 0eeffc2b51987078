#include "measure/utility_loss.h"

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

}  // namespace sotto
