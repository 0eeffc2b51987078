#pragma once
#include "lab/learn/settings.h"
#include "lab/run.h"

namespace sotto::lab::learning {

struct Tables {
  const Points& points;
  const Points& mechanisms;
  const Points& given_away;
  const Points& attackers;
};

// Figures, and the tables as Markdown, from the points that are there.
void report(const Run& run, const Settings& settings, const Tables& found);

}  // namespace sotto::lab::learning
