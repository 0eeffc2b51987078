#pragma once
#include "lab/attack/settings.h"

namespace sotto::lab::attack {

// Draws the figures and writes the tables (Markdown), from the points that are there.
void report(const Run& run, const Settings& settings, const Points& attacks, const Points& levels);

}  // namespace sotto::lab::attack
