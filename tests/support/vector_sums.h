#pragma once
#include <cmath>
#include <cstddef>
#include <span>

namespace sotto::test {

inline double product(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

inline double length(std::span<const double> x) {
  return std::sqrt(product(x, x));
}

}  // namespace sotto::test
