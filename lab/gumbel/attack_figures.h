#pragma once
#include "lab/gumbel/report.h"
#include "lab/run.h"

namespace sotto::lab::gumbel {

// For each data set and kind of training: accuracy under attack against N_w, a line for each mechanism. At
// equal N_w mechanisms change equally many words, so that what is left is the choice of the new words.
void draw_attacks(const Run& run, const Settings& settings, const ReportTables& tables);

}  // namespace sotto::lab::gumbel
