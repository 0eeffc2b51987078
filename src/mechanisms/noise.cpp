#include "mechanisms/noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/samplers.h"
#include "mechanisms/covariance.h"
#include "sotto/error.h"
#include "sotto/parameters.h"

namespace sotto {
namespace {

using Matrix = std::vector<double>;  // dim x dim, row after row

// The lower triangular root, or false where a pivot is lost in rounding: S is singular.
bool cholesky(Matrix& s, std::size_t dim) {
  double largest = 0;
  for (std::size_t j = 0; j < dim; ++j) largest = std::max(largest, s[j * dim + j]);
  const double smallest = largest * static_cast<double>(dim) * 0x1.0p-46;
  for (std::size_t j = 0; j < dim; ++j) {
    for (std::size_t k = 0; k <= j; ++k) {
      double value = s[j * dim + k];
      for (std::size_t i = 0; i < k; ++i) value -= s[j * dim + i] * s[k * dim + i];
      if (j == k) {
        if (!(value > smallest)) return false;
        s[j * dim + j] = std::sqrt(value);
      } else {
        s[j * dim + k] = value / s[k * dim + k];
      }
    }
    for (std::size_t k = j + 1; k < dim; ++k) s[j * dim + k] = 0;
  }
  return true;
}

// y = A^-1 x, by forward substitution.
void solve_root(const Matrix& root, std::size_t dim, std::span<double> x) {
  for (std::size_t j = 0; j < dim; ++j) {
    for (std::size_t k = 0; k < j; ++k) x[j] -= root[j * dim + k] * x[k];
    x[j] /= root[j * dim + j];
  }
}
// y = A'^-1 x.
void solve_transposed_root(const Matrix& root, std::size_t dim, std::span<double> x) {
  for (std::size_t j = dim; j-- > 0;) {
    for (std::size_t k = j + 1; k < dim; ++k) x[j] -= root[k * dim + j] * x[k];
    x[j] /= root[j * dim + j];
  }
}

// Largest eigenvalue of S^-1 by the power method; it comes from below, so the result is rounded up by 1e-6.
double largest_inverse_eigenvalue(const Matrix& root, std::size_t dim) {
  std::vector<double> x(dim);
  for (std::size_t j = 0; j < dim; ++j) x[j] = 1 + 0.37 * std::sin(static_cast<double>(3 * j + 1));
  double value = 0;
  for (int round = 0; round < 5000; ++round) {
    double length = 0;
    for (const double entry : x) length += entry * entry;
    length = std::sqrt(length);
    for (double& entry : x) entry /= length;
    std::vector<double> next = x;
    solve_root(root, dim, next);
    solve_transposed_root(root, dim, next);
    double rayleigh = 0;
    for (std::size_t j = 0; j < dim; ++j) rayleigh += x[j] * next[j];
    x = std::move(next);
    if (std::abs(rayleigh - value) <= 1e-13 * rayleigh) break;
    value = rayleigh;
  }
  return value * (1 + 1e-6);
}

}  // namespace

NoiseShape NoiseShape::sphere(std::size_t dim) {
  return NoiseShape(dim);
}

NoiseShape NoiseShape::mahalanobis(const Model& model, double lambda) {
  const std::size_t dim = model.dim();
  Matrix s = sample_covariance(model);
  double variance = 0;
  for (std::size_t j = 0; j < dim; ++j) variance += s[j * dim + j] / static_cast<double>(dim);
  for (double& value : s) value *= variance > 0 ? lambda / variance : 0;
  for (std::size_t j = 0; j < dim; ++j) s[j * dim + j] += 1 - lambda;
  NoiseShape shape(dim);
  if (!cholesky(s, dim)) {
    throw Error(
        ErrorCode::usage,
        fmt::format(
            "--lambda {} gives a singular noise shape: {} words do not span {} dimensions, and no noise "
            "would cover the missing directions; use a --lambda below 1, such as 0.2",
            number_text(lambda), model.size(), dim));
  }
  shape.root_ = std::move(s);
  shape.euclidean_constant_ = std::sqrt(largest_inverse_eigenvalue(shape.root_, dim));
  return shape;
}

void NoiseShape::add(std::span<const float> centre, double epsilon, std::span<double> out, Rng& rng) const {
  unit_sphere(rng, out);
  const double radius = gamma(rng, static_cast<double>(dim_)) / epsilon;
  if (!root_.empty()) {
    // A u from the last coordinate up, in place: coordinate j needs only those before it.
    for (std::size_t j = dim_; j-- > 0;) {
      double value = 0;
      for (std::size_t k = 0; k <= j; ++k) value += root_[j * dim_ + k] * out[k];
      out[j] = value;
    }
  }
  for (std::size_t j = 0; j < dim_; ++j) out[j] = centre[j] + radius * out[j];
}

double NoiseShape::norm(std::span<const double> x) const {
  std::vector<double> y(x.begin(), x.end());
  if (!root_.empty()) solve_root(root_, dim_, y);
  double squares = 0;
  for (const double value : y) squares += value * value;
  return std::sqrt(squares);
}

NoisySearch::NoisySearch(std::shared_ptr<const Model> model, NoiseShape shape, double epsilon)
    : model_(std::move(model)), shape_(std::move(shape)), epsilon_(epsilon), nearest_(*model_) {}

void NoisySearch::find(std::span<const WordId> in, std::size_t k, Rng& rng, const Visit& visit) const {
  constexpr std::size_t kTogether = 128;  // noisy vectors that share a pass over the model
  const std::size_t stride = model_->stride();
  std::vector<double> noisy(std::min(in.size(), kTogether) * stride, 0.0);  // padded with zeros
  std::vector<Neighbour> found(std::min(in.size(), kTogether) * k);
  for (std::size_t begin = 0; begin < in.size(); begin += kTogether) {
    const std::size_t count = std::min(kTogether, in.size() - begin);
    for (std::size_t i = 0; i < count; ++i) {
      shape_.add(model_->vector(in[begin + i]), epsilon_, std::span(noisy).subspan(i * stride, model_->dim()),
                 rng);
    }
    nearest_.find(std::span(noisy).first(count * stride), k, std::span(found).first(count * k));
    for (std::size_t i = 0; i < count; ++i) visit(begin + i, std::span(found).subspan(i * k, k));
  }
}

}  // namespace sotto
