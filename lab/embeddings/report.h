#pragma once
#include <optional>
#include <vector>

#include "lab/embeddings/settings.h"

namespace sotto::lab::embeddings {

struct Tables {
  const Points& spaces;
  const Points& laws;
  const Points& levels;
  const Points& accuracy;
  const Points& adaptation;
  const Points& betrayal;
};

// A measured curve. Points with NaN are left out.
struct CurvePoint {
  double x = 0;
  double y = 0;
};
// The value at `x` on the straight line between the two neighbouring points. Empty outside the curve.
std::optional<double> read_off(std::vector<CurvePoint> curve, double x);

// The tables (Markdown) and the figures.
void report(const Run& run, const Settings& settings, const Tables& tables);

}  // namespace sotto::lab::embeddings
