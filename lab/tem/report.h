#pragma once
#include "lab/points.h"
#include "lab/run.h"
#include "lab/tem/settings.h"

namespace sotto::lab {

struct TemTables {
  const Points& points;
  const Points& mechanisms;
};

// Figures, and the tables as Markdown, from the points that are there.
void report_tem(const Run& run, const TemSettings& settings, const TemTables& tables);

}  // namespace sotto::lab
