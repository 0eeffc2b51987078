#pragma once
#include "lab/gumbel/data.h"
#include "lab/points.h"
#include "lab/run.h"

namespace sotto::lab::gumbel {

// table1.csv: a row for each part of each data set as it is at hand. Tokens are those of `sotto privatize
// --strip-html`; punctuation is none. Premises have rows of their own.
Points::Layout table1_layout();
void measure_table1(const Run& run, Points& table);

}  // namespace sotto::lab::gumbel
