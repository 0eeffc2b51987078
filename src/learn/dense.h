#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace sotto {

// A matrix of doubles, row after row.
struct DenseMatrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values = {};

  static DenseMatrix zeros(std::size_t rows, std::size_t columns) {
    return {.rows = rows, .columns = columns, .values = std::vector<double>(rows * columns, 0.0)};
  }
  [[nodiscard]] std::span<double> row(std::size_t i) { return {values.data() + i * columns, columns}; }
  [[nodiscard]] std::span<const double> row(std::size_t i) const {
    return {values.data() + i * columns, columns};
  }
};

// The products below cut the work into blocks whose borders do not depend on the number of threads, and add
// partial sums in one order: the result does not depend on threads. It may differ in the last bits between
// processors, because BLAS chooses its kernels by processor.

// out (rows x out_columns, stride out_columns) += transposed(a) * b for a block of `inner` rows. `a` has
// `rows` columns, a_stride apart from row to row. One thread.
struct TransposedBlock {
  const double* a = nullptr;
  std::size_t a_stride = 0;
  std::size_t rows = 0;
  std::size_t inner = 0;
};
void add_transposed_product(const TransposedBlock& block, const double* b, std::size_t out_columns,
                            double* out);

// a * b
DenseMatrix product(const DenseMatrix& a, const DenseMatrix& b, unsigned threads);
// transposed(a) * b
DenseMatrix transposed_product(const DenseMatrix& a, const DenseMatrix& b, unsigned threads);

std::vector<double> column_means(const DenseMatrix& a);
void subtract_from_rows(DenseMatrix& a, std::span<const double> row);
// The first `count` columns.
DenseMatrix first_columns(const DenseMatrix& a, std::size_t count);

// An orthonormal basis of the space that the columns of `a` span. Directions whose squared length is below
// 1e-12 of the largest are left out: the result may have fewer columns than `a`, none if `a` is 0.
DenseMatrix orthonormal_columns(const DenseMatrix& a, unsigned threads);

// x with symmetric * x = right, by Cholesky's decomposition. Throws Error(internal) if `symmetric` is not
// positive definite: callers add a ridge.
DenseMatrix solve_positive(DenseMatrix symmetric, DenseMatrix right);

}  // namespace sotto
