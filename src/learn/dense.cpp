#include "learn/dense.h"

#include <cblas.h>

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "mechanisms/privemb/eigenvectors.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::size_t kRowBlock = 1024;

int blas_size(std::size_t size) {
  return static_cast<int>(size);
}

}  // namespace

void add_transposed_product(const TransposedBlock& block, const double* b, std::size_t out_columns,
                            double* out) {
  cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, blas_size(block.rows), blas_size(out_columns),
              blas_size(block.inner), 1.0, block.a, blas_size(block.a_stride), b, blas_size(out_columns), 1.0,
              out, blas_size(out_columns));
}

DenseMatrix product(const DenseMatrix& a, const DenseMatrix& b, unsigned threads) {
  DenseMatrix out = DenseMatrix::zeros(a.rows, b.columns);
  if (out.values.empty() || a.columns == 0) return out;
  parallel_blocks(a.rows, kRowBlock, threads, [&](std::size_t begin, std::size_t end) {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, blas_size(end - begin), blas_size(b.columns),
                blas_size(a.columns), 1.0, a.values.data() + begin * a.columns, blas_size(a.columns),
                b.values.data(), blas_size(b.columns), 0.0, out.values.data() + begin * b.columns,
                blas_size(b.columns));
  });
  return out;
}

DenseMatrix transposed_product(const DenseMatrix& a, const DenseMatrix& b, unsigned threads) {
  DenseMatrix out = DenseMatrix::zeros(a.columns, b.columns);
  if (out.values.empty()) return out;
  // By columns of `a`, each of which goes through all rows in their order.
  constexpr std::size_t kColumnBlock = 32;
  parallel_blocks(a.columns, kColumnBlock, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = 0; row < a.rows; row += kRowBlock) {
      add_transposed_product({.a = a.values.data() + row * a.columns + begin,
                              .a_stride = a.columns,
                              .rows = end - begin,
                              .inner = std::min(kRowBlock, a.rows - row)},
                             b.values.data() + row * b.columns, b.columns,
                             out.values.data() + begin * b.columns);
    }
  });
  return out;
}

std::vector<double> column_means(const DenseMatrix& a) {
  std::vector<double> means(a.columns, 0.0);
  for (std::size_t i = 0; i < a.rows; ++i) {
    const auto row = a.row(i);
    for (std::size_t j = 0; j < a.columns; ++j) means[j] += row[j];
  }
  for (double& mean : means) mean /= static_cast<double>(std::max<std::size_t>(a.rows, 1));
  return means;
}

void subtract_from_rows(DenseMatrix& a, std::span<const double> row) {
  for (std::size_t i = 0; i < a.rows; ++i) {
    const auto own = a.row(i);
    for (std::size_t j = 0; j < a.columns; ++j) own[j] -= row[j];
  }
}

DenseMatrix first_columns(const DenseMatrix& a, std::size_t count) {
  DenseMatrix out = DenseMatrix::zeros(a.rows, std::min(count, a.columns));
  for (std::size_t i = 0; i < a.rows; ++i) std::ranges::copy(a.row(i).first(out.columns), out.row(i).begin());
  return out;
}

DenseMatrix orthonormal_columns(const DenseMatrix& a, unsigned threads) {
  constexpr double kSmallest = 1e-12;
  DenseMatrix basis = a;
  // The first pass leaves an error of the size of the rounding times the condition; the second removes it.
  for (int pass = 0; pass < 2; ++pass) {
    const Eigen eigen =
        symmetric_eigenvectors(transposed_product(basis, basis, threads).values, basis.columns);
    std::size_t kept = 0;
    while (kept < eigen.values.size() && eigen.values[kept] > kSmallest * eigen.values.front() &&
           eigen.values[kept] > 0) {
      ++kept;
    }
    DenseMatrix turn = DenseMatrix::zeros(basis.columns, kept);
    for (std::size_t j = 0; j < kept; ++j) {
      const double scale = 1 / std::sqrt(eigen.values[j]);
      for (std::size_t i = 0; i < basis.columns; ++i) {
        turn.row(i)[j] = scale * eigen.vectors[j * basis.columns + i];
      }
    }
    basis = product(basis, turn, threads);
    if (kept == 0) break;
  }
  return basis;
}

DenseMatrix solve_positive(DenseMatrix symmetric, DenseMatrix right) {
  const std::size_t size = symmetric.rows;
  for (std::size_t i = 0; i < size; ++i) {
    const auto own = symmetric.row(i);
    for (std::size_t j = 0; j <= i; ++j) {
      const auto other = symmetric.row(j);
      double sum = own[j];
      for (std::size_t k = 0; k < j; ++k) sum -= own[k] * other[k];
      if (i != j) {
        own[j] = sum / other[j];
      } else if (sum > 0) {
        own[i] = std::sqrt(sum);
      } else {
        throw Error(ErrorCode::internal, "a matrix to be inverted is not positive definite");
      }
    }
  }
  const auto subtract = [&](std::size_t from, std::size_t row, double factor) {
    const auto target = right.row(from);
    const auto source = right.row(row);
    for (std::size_t c = 0; c < right.columns; ++c) target[c] -= factor * source[c];
  };
  const auto divide = [&](std::size_t row) {
    for (double& value : right.row(row)) value /= symmetric.row(row)[row];
  };
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < i; ++k) subtract(i, k, symmetric.row(i)[k]);
    divide(i);
  }
  for (std::size_t i = size; i-- > 0;) {
    for (std::size_t k = i + 1; k < size; ++k) subtract(i, k, symmetric.row(k)[i]);
    divide(i);
  }
  return right;
}

}  // namespace sotto
