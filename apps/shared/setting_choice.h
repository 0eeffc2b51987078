#pragma once
#include "shared/command_line.h"
#include "sotto/mechanism.h"

namespace sotto::cli {

// parse_setting() of what was typed. Where an epsilon is missing or no number, the message proposes one that
// suits this mechanism on this model, by the forecast: 3 is much for tem and nothing for laplace.
Setting chosen_setting(const MechanismChoice& choice);

}  // namespace sotto::cli
