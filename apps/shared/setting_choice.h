#pragma once
#include "shared/command_line.h"
#include "sotto/mechanism.h"

namespace sotto::cli {

// sotto::chosen_setting() of what was typed, on the model that was chosen.
Setting chosen_setting(const MechanismChoice& choice);

}  // namespace sotto::cli
