#pragma once
#include <limits>

namespace sotto {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace sotto
