#pragma once
#include "lab/run.h"
#include "lab/vickrey/settings.h"

namespace sotto::lab::vickrey {

struct Tables {
  const Points& privacy;
  const Points& tasks;
  const Points& coverage;
  const Points& choices;
};

// Figures, and the tables as Markdown, from the points that are there.
void report(const Run& run, const Settings& settings, const Tables& tables);

}  // namespace sotto::lab::vickrey
