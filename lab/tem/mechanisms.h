#pragma once
#include "lab/run.h"
#include "lab/tem/settings.h"

namespace sotto::lab {

// Fills mechanisms.csv: what holds of each mechanism whatever the reviews are, its certificate and the best
// adversary's error. Certificates and calibrations are kept in the model's derived folder.
void measure_mechanisms(const Run& run, const TemSettings& settings, Points& table);

}  // namespace sotto::lab
