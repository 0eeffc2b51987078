#pragma once
#include <cstdlib>

#include "core/bound_text.h"

namespace sotto::cli {

// Bounds as numbers of a page's table, which shows four digits: an upper bound is never shown below itself, a
// lower bound never above.
inline double shown_above(double bound) {
  return std::strtod(rounded_up(bound, 4).c_str(), nullptr);
}
inline double shown_below(double bound) {
  return std::strtod(rounded_down(bound, 4).c_str(), nullptr);
}

}  // namespace sotto::cli
