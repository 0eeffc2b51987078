#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/model.h"

namespace sotto {

// A public linear map of vectors, P x, with P of doubles.
class Projection {
 public:
  struct Shape {
    std::size_t output_dim;
    std::size_t input_dim;
  };
  // Entries N(0, 1/output_dim), from the public seed.
  static Projection gaussian(Shape shape, std::uint64_t seed);
  // The first rows of a random rotation, from the public seed. output_dim <= input_dim.
  static Projection orthonormal(Shape shape, std::uint64_t seed);
  // The first eigenvectors of the covariance of the model's vectors. output_dim <= model.dim().
  static Projection pca(const Model& model, std::size_t output_dim);
  static Projection identity(std::size_t dim);
  // `rows` is output_dim x input_dim values, row after row.
  static Projection from_rows(Shape shape, std::vector<double> rows);

  [[nodiscard]] std::size_t input_dim() const noexcept { return shape_.input_dim; }
  [[nodiscard]] std::size_t output_dim() const noexcept { return shape_.output_dim; }
  [[nodiscard]] bool is_identity() const noexcept { return rows_.empty(); }
  // Row j of P; not for the identity.
  [[nodiscard]] std::span<const double> row(std::size_t j) const {
    return std::span(rows_).subspan(j * shape_.input_dim, shape_.input_dim);
  }
  // Vectors row after row. The bits of a result depend on its own vector only: not on its place, the others
  // or the processor.
  void apply(std::span<const double> in, std::span<double> out) const;
  // |fl(P x)_j - (P x)_j| <= relative_error() * |x|.
  [[nodiscard]] double relative_error() const noexcept { return relative_error_; }
  // max |P_j|, to a few roundings.
  [[nodiscard]] double longest_row() const noexcept { return longest_row_; }
  // Upper bound of |P|_2 if the rows are orthonormal but for rounding: sqrt(1 + |P P' - I|), by Frobenius'
  // norm. Exactly 1 for the identity.
  [[nodiscard]] double orthonormal_bound() const;

 private:
  Projection(Shape shape, std::vector<double> rows);

  Shape shape_;
  std::vector<double> rows_;     // empty: the identity
  std::vector<double> columns_;  // column after column, each padded with zeros
  std::size_t padded_ = 0;
  double relative_error_ = 0;
  double longest_row_ = 0;
};

}  // namespace sotto
