#pragma once
#include <string>
#include <string_view>

namespace sotto {

// What the user calls loss. label: the output has not the label of the input (another one, or none); flip:
// it has another one. With flips alone a mechanism that writes anything without a label would be free of
// loss. task: what somebody's program or function says of a private copy of a text; it has no name to type.
enum class UtilityLoss { changed, distance, label, flip, task };
std::string_view loss_name(UtilityLoss loss);      // as it is typed
UtilityLoss parse_loss(std::string_view name);     // throws Error(usage)
std::string_view loss_quantity(UtilityLoss loss);  // the quantity that holds it
std::string loss_meaning(UtilityLoss loss);

}  // namespace sotto
