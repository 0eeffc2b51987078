#pragma once
#include <cstddef>
#include <cstdint>

namespace sotto {

// Vectors are rounded to a grid: x = unit * (row - centre) becomes step * X, X a vector of integers.
struct Grid {
  const float* centre;  // as many values as a row
  double unit;          // a power of two, so that the product is exact
  double step;
  double most;  // integers are cut to [-most, most]; at most what their type holds
};

// Computed in double; the sums may differ in the last bits between SIMD targets.
struct GridPoint {
  double squared_length;    // |x|^2
  double squared_residual;  // |x - step * X|^2
  double squared_norm;      // |X|^2
};

// Writes X to `out`. `stride` is that of a model (sotto/model.h).
GridPoint round_to_grid(const float* row, std::size_t stride, const Grid& grid, std::int8_t* out);
GridPoint round_to_grid(const float* row, std::size_t stride, const Grid& grid, std::int16_t* out);

}  // namespace sotto
