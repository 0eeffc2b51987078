#pragma once
#include <cstddef>
#include <vector>

namespace sotto {

struct Eigen {
  std::vector<double> values;   // largest first
  std::vector<double> vectors;  // row i belongs to values[i]
};

// Eigenvalues and eigenvectors of a symmetric size x size matrix, row after row, in O(size^3). The sign of a
// vector makes its largest entry positive (the first of equal ones). By hand and not by LAPACK, whose bits
// follow the processor: two holders of one model must get one projection.
Eigen symmetric_eigenvectors(std::vector<double> matrix, std::size_t size);

}  // namespace sotto
