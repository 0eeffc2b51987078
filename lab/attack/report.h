#pragma once
#include "lab/attack/settings.h"

namespace sotto::lab::attack {

// The figures and tables.md, from the points that are there.
void report(const Run& run, const Settings& settings, const Points& attacks, const Points& levels);

}  // namespace sotto::lab::attack
