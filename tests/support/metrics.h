#pragma once
#include "sotto/space.h"

namespace sotto::test {

// The metrics that are defined for any vectors inside the unit ball.
inline constexpr Metric kMetrics[] = {Metric::euclidean, Metric::manhattan, Metric::chebyshev,
                                      Metric::angular,   Metric::chord,     Metric::poincare};

}  // namespace sotto::test
