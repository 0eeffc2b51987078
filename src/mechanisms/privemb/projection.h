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
  // Every column has up to kSparseEntries entries +-1/sqrt(their number), one in each of as many equal bands
  // of rows (Kane and Nelson 2014), from the public seed. Column after column in memory, zeros not stored.
  static Projection sparse(Shape shape, std::uint64_t seed);
  static constexpr std::size_t kSparseEntries = 8;
  static Projection identity(std::size_t dim);
  // `rows` is output_dim x input_dim values, row after row.
  static Projection from_rows(Shape shape, std::vector<double> rows);

  [[nodiscard]] std::size_t input_dim() const noexcept { return shape_.input_dim; }
  [[nodiscard]] std::size_t output_dim() const noexcept { return shape_.output_dim; }
  [[nodiscard]] bool is_identity() const noexcept { return rows_.empty() && places_.empty(); }
  [[nodiscard]] bool is_sparse() const noexcept { return !places_.empty(); }
  // Row j of P; only if P is neither the identity nor sparse.
  [[nodiscard]] std::span<const double> row(std::size_t j) const {
    return std::span(rows_).subspan(j * shape_.input_dim, shape_.input_dim);
  }
  // The entries of column k of a sparse P: the row and the sign of each; all have the size sparse_entry().
  struct Place {
    std::uint32_t row;
    int sign;
  };
  [[nodiscard]] std::size_t sparse_entries() const noexcept { return places_.size() / shape_.input_dim; }
  [[nodiscard]] double sparse_entry() const noexcept { return entry_; }
  [[nodiscard]] Place place(std::size_t k, std::size_t i) const {
    const std::uint32_t packed = places_[k * sparse_entries() + i];
    return {.row = packed >> 1, .sign = (packed & 1) != 0 ? -1 : 1};
  }
  // P_jk of any P, as the double that it is.
  [[nodiscard]] double entry(std::size_t j, std::size_t k) const;
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
  Projection(Shape shape, std::vector<std::uint32_t> places, double entry);
  void apply_sparse(std::span<const double> x, std::span<double> out) const;

  Shape shape_;
  std::vector<double> rows_;     // empty: the identity, or sparse
  std::vector<double> columns_;  // column after column, each padded with zeros
  std::size_t padded_ = 0;
  std::vector<std::uint32_t> places_;  // not empty: sparse; 2 * row, plus 1 if the entry is negative
  double entry_ = 0;
  double relative_error_ = 0;
  double longest_row_ = 0;
};

}  // namespace sotto
