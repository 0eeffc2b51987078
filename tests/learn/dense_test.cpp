#include "learn/dense.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/samplers.h"
#include "sotto/error.h"

namespace sotto {
namespace {

DenseMatrix random_matrix(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  Rng rng = Rng::seeded_not_private(seed);
  DenseMatrix out = DenseMatrix::zeros(rows, columns);
  for (double& value : out.values) value = gaussian(rng);
  return out;
}

double slow_entry(const DenseMatrix& a, const DenseMatrix& b, std::size_t i, std::size_t j) {
  double sum = 0;
  for (std::size_t k = 0; k < a.columns; ++k) sum += a.row(i)[k] * b.row(k)[j];
  return sum;
}

DenseMatrix transposed(const DenseMatrix& a) {
  DenseMatrix out = DenseMatrix::zeros(a.columns, a.rows);
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < a.columns; ++j) out.row(j)[i] = a.row(i)[j];
  }
  return out;
}

// 2,100 rows: more than one block, and a last one that is not full.
TEST(Dense, ProductsEqualTheDefinition) {
  const DenseMatrix a = random_matrix(2100, 37, 1);
  const DenseMatrix b = random_matrix(37, 5, 2);
  const DenseMatrix ab = product(a, b, 3);
  for (const std::size_t i : {0UL, 1023UL, 1024UL, 2099UL}) {
    for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(ab.row(i)[j], slow_entry(a, b, i, j), 1e-12);
  }
  const DenseMatrix c = random_matrix(2100, 4, 3);
  const DenseMatrix ac = transposed_product(a, c, 3);
  ASSERT_EQ(ac.rows, 37U);
  ASSERT_EQ(ac.columns, 4U);
  for (std::size_t i = 0; i < 37; ++i) {
    for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(ac.row(i)[j], slow_entry(transposed(a), c, i, j), 1e-10);
  }
  EXPECT_EQ(transposed_product(a, c, 1).values, ac.values);
  EXPECT_EQ(product(a, b, 1).values, ab.values);
}

TEST(Dense, OrthonormalColumnsSpanTheSameSpace) {
  DenseMatrix a = random_matrix(300, 6, 4);
  for (std::size_t i = 0; i < 300; ++i) {
    a.row(i)[1] = a.row(i)[0] + 1e-4 * a.row(i)[1];  // nearly parallel
    a.row(i)[5] = 2 * a.row(i)[2];                   // one direction less
  }
  const DenseMatrix basis = orthonormal_columns(a, 2);
  ASSERT_EQ(basis.columns, 5U);
  const DenseMatrix gram = transposed_product(basis, basis, 1);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(gram.row(i)[j], i == j ? 1 : 0, 1e-12);
  }
  // The columns of `a` are their own projections.
  const DenseMatrix projected = product(basis, transposed_product(basis, a, 1), 1);
  for (std::size_t i = 0; i < a.values.size(); ++i) EXPECT_NEAR(projected.values[i], a.values[i], 1e-7);
  EXPECT_EQ(orthonormal_columns(DenseMatrix::zeros(5, 2), 1).columns, 0U);
}

TEST(Dense, SolvesAndRefuses) {
  const DenseMatrix root = random_matrix(20, 8, 5);
  const DenseMatrix symmetric = transposed_product(root, root, 1);
  const DenseMatrix x = random_matrix(8, 3, 6);
  const DenseMatrix found = solve_positive(symmetric, product(symmetric, x, 1));
  for (std::size_t i = 0; i < x.values.size(); ++i) EXPECT_NEAR(found.values[i], x.values[i], 1e-9);
  EXPECT_THROW(
      solve_positive({.rows = 1, .columns = 1, .values = {-1}}, {.rows = 1, .columns = 1, .values = {1}}),
      Error);
}

}  // namespace
}  // namespace sotto
