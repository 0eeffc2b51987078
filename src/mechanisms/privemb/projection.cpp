#include "mechanisms/privemb/projection.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/samplers.h"
#include "mechanisms/covariance.h"
#include "mechanisms/privemb/eigenvectors.h"
#include "sotto/rng.h"

namespace sotto {
namespace {

constexpr std::size_t kTile = 8;    // outputs whose sums stay in registers
constexpr std::size_t kChunk = 16;  // products of a partial sum: fewer roundings than one sum over all
// The seed is public. Its stream is one that no release uses, so that a seeded run with the
// same number does not repeat the projection as noise.
constexpr std::uint64_t kStream = ~std::uint64_t{0};

std::vector<double> gaussian_rows(Projection::Shape shape, std::uint64_t seed) {
  Rng rng = Rng::seeded_not_private(seed, kStream);
  std::vector<double> rows(shape.output_dim * shape.input_dim);
  // Box and Muller 1958. The matrix of a seed must stay the same for ever, so gaussian() may not draw it: its
  // method may change.
  for (double& entry : rows) {
    const double radius = std::sqrt(2 * exponential(rng));
    entry = radius * std::cos(2 * std::numbers::pi * uniform_open(rng));
  }
  return rows;
}

double dot(const double* a, const double* b, std::size_t size) {
  double sum = 0;
  for (std::size_t k = 0; k < size; ++k) sum += a[k] * b[k];
  return sum;
}

// Gram and Schmidt's method twice over: the second time removes what rounding left.
void orthonormalise(std::vector<double>& rows, Projection::Shape shape) {
  const std::size_t dim = shape.input_dim;
  for (std::size_t i = 0; i < shape.output_dim; ++i) {
    double* const row = &rows[i * dim];
    for (int round = 0; round < 2; ++round) {
      for (std::size_t j = 0; j < i; ++j) {
        const double* const other = &rows[j * dim];
        const double overlap = dot(row, other, dim);
        for (std::size_t k = 0; k < dim; ++k) row[k] -= overlap * other[k];
      }
      const double length = std::sqrt(dot(row, row, dim));
      for (std::size_t k = 0; k < dim; ++k) row[k] /= length;
    }
  }
}

}  // namespace

Projection::Projection(Shape shape, std::vector<double> rows) : shape_(shape), rows_(std::move(rows)) {
  if (rows_.empty()) {
    longest_row_ = 1;
    return;
  }
  padded_ = (shape.output_dim + kTile - 1) / kTile * kTile;
  columns_.assign(padded_ * shape.input_dim, 0.0);
  for (std::size_t j = 0; j < shape.output_dim; ++j) {
    for (std::size_t k = 0; k < shape.input_dim; ++k) columns_[k * padded_ + j] = row(j)[k];
    longest_row_ = std::max(longest_row_, std::sqrt(dot(row(j).data(), row(j).data(), shape.input_dim)));
  }
  // gamma_n |P_j| |x|, n the roundings that a product passes; the slack is for the length's own rounding.
  const std::size_t roundings = kChunk + shape.input_dim / kChunk + 2;
  relative_error_ = 1.01 * static_cast<double>(roundings) * 0x1.0p-53 * longest_row_;
}

Projection Projection::gaussian(Shape shape, std::uint64_t seed) {
  std::vector<double> rows = gaussian_rows(shape, seed);
  for (double& entry : rows) entry /= std::sqrt(static_cast<double>(shape.output_dim));
  return {shape, std::move(rows)};
}

Projection Projection::orthonormal(Shape shape, std::uint64_t seed) {
  std::vector<double> rows = gaussian_rows(shape, seed);
  orthonormalise(rows, shape);
  return {shape, std::move(rows)};
}

Projection Projection::pca(const Model& model, std::size_t output_dim) {
  const Shape shape{.output_dim = output_dim, .input_dim = model.dim()};
  std::vector<double> rows = symmetric_eigenvectors(sample_covariance(model), model.dim()).vectors;
  rows.resize(output_dim * model.dim());
  orthonormalise(rows, shape);
  return {shape, std::move(rows)};
}

Projection::Projection(Shape shape, std::vector<std::uint32_t> places, double entry)
    : shape_(shape), places_(std::move(places)), entry_(entry) {
  std::vector<std::size_t> entries(shape.output_dim, 0);
  for (const std::uint32_t place : places_) ++entries[place >> 1];
  const auto most = static_cast<double>(std::ranges::max(entries));
  longest_row_ = entry_ * std::sqrt(most);
  // A term passes at most `most` sums and the product; the slack is for the length's own rounding.
  relative_error_ = 1.01 * (most + 1) * 0x1.0p-53 * longest_row_;
}

Projection Projection::sparse(Shape shape, std::uint64_t seed) {
  const std::size_t bands = std::min(kSparseEntries, shape.output_dim);
  Rng rng = Rng::seeded_not_private(seed, kStream);
  std::vector<std::uint32_t> places;
  places.reserve(shape.input_dim * bands);
  for (std::size_t k = 0; k < shape.input_dim; ++k) {
    for (std::size_t band = 0; band < bands; ++band) {
      const std::size_t begin = band * shape.output_dim / bands;
      const std::size_t size = (band + 1) * shape.output_dim / bands - begin;
      // Upper half: the row, to within 2^-32 uniform, which is enough for a public matrix; lowest bit: sign.
      const std::uint64_t bits = rng.bits();
      const std::size_t row = begin + static_cast<std::size_t>((bits >> 32) * size >> 32);
      places.push_back(static_cast<std::uint32_t>(2 * row + (bits & 1)));
    }
  }
  return {shape, std::move(places), 1 / std::sqrt(static_cast<double>(bands))};
}

double Projection::entry(std::size_t j, std::size_t k) const {
  if (!is_sparse()) return is_identity() ? (j == k ? 1 : 0) : row(j)[k];
  for (std::size_t i = 0; i < sparse_entries(); ++i) {
    if (const Place found = place(k, i); found.row == j) return found.sign * entry_;
  }
  return 0;
}

void Projection::apply_sparse(std::span<const double> x, std::span<double> out) const {
  std::ranges::fill(out, 0.0);
  const std::size_t entries = sparse_entries();
  const std::uint32_t* places = places_.data();
  for (std::size_t k = 0; k < x.size(); ++k, places += entries) {
    if (x[k] == 0) continue;
    for (std::size_t i = 0; i < entries; ++i) out[places[i] >> 1] += (places[i] & 1) != 0 ? -x[k] : x[k];
  }
  for (double& value : out) value *= entry_;
}

Projection Projection::identity(std::size_t dim) {
  return {{.output_dim = dim, .input_dim = dim}, std::vector<double>()};
}

Projection Projection::from_rows(Shape shape, std::vector<double> rows) {
  return {shape, std::move(rows)};
}

void Projection::apply(std::span<const double> in, std::span<double> out) const {
  if (is_identity()) {
    std::ranges::copy(in, out.begin());
    return;
  }
  const std::size_t dim = shape_.input_dim;
  if (is_sparse()) {
    for (std::size_t r = 0; r * dim < in.size(); ++r) {
      apply_sparse(in.subspan(r * dim, dim), out.subspan(r * shape_.output_dim, shape_.output_dim));
    }
    return;
  }
  for (std::size_t r = 0; r * dim < in.size(); ++r) {
    const double* const x = &in[r * dim];
    for (std::size_t begin = 0; begin < shape_.output_dim; begin += kTile) {
      double totals[kTile] = {};
      const double* column = &columns_[begin];
      for (std::size_t k = 0; k < dim;) {
        double sums[kTile] = {};
        for (const std::size_t end = std::min(dim, k + kChunk); k < end; ++k, column += padded_) {
          for (std::size_t t = 0; t < kTile; ++t) sums[t] += x[k] * column[t];
        }
        for (std::size_t t = 0; t < kTile; ++t) totals[t] += sums[t];
      }
      const std::size_t count = std::min(kTile, shape_.output_dim - begin);
      std::copy_n(totals, count, &out[r * shape_.output_dim + begin]);
    }
  }
}

double Projection::orthonormal_bound() const {
  if (is_identity()) return 1;
  // In long double: the bound on the rounding of these sums should be small beside 1e-12.
  const std::size_t dim = shape_.input_dim;
  long double squares = 0;
  for (std::size_t i = 0; i < shape_.output_dim; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      long double entry = i == j ? -1 : 0;
      for (std::size_t k = 0; k < dim; ++k) entry += static_cast<long double>(row(i)[k]) * row(j)[k];
      squares += (i == j ? 1 : 2) * entry * entry;
    }
  }
  constexpr long double kUnit = std::numeric_limits<long double>::epsilon();
  const long double rounding = 1.01L * kUnit * static_cast<long double>((dim + 4) * shape_.output_dim);
  return static_cast<double>(std::sqrt(1 + 1.001L * std::sqrt(squares) + rounding)) * (1 + 0x1.0p-52);
}

}  // namespace sotto
