#include "mechanisms/noise/noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/samplers.h"
#include "mechanisms/covariance.h"
#include "sotto/error.h"
#include "sotto/parameters.h"

namespace sotto {
namespace {

using Matrix = std::vector<double>;  // dim x dim, row after row

// The lower triangular root, or false where a pivot is not as it must be. above_rounding: S is singular as
// far as doubles tell, if false.
enum class Pivots { above_zero, above_rounding };
bool cholesky(Matrix& s, std::size_t dim, Pivots pivots) {
  double largest = 0;
  for (std::size_t j = 0; j < dim; ++j) largest = std::max(largest, s[j * dim + j]);
  const double smallest = pivots == Pivots::above_zero ? 0 : largest * static_cast<double>(dim) * 0x1.0p-46;
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

// Largest eigenvalue of S^-1, roughly, by the power method: from below, and far below if the largest
// eigenvalues lie close together.
double estimated_inverse_eigenvalue(const Matrix& root, std::size_t dim) {
  std::vector<double> x(dim);
  for (std::size_t j = 0; j < dim; ++j) x[j] = 1 + 0.37 * std::sin(static_cast<double>(3 * j + 1));
  double value = 0;
  for (int round = 0; round < 500; ++round) {
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
  return value;
}

// Upper bound of the largest eigenvalue of (A A')^-1, A = `root` the computed factor of S; empty if S is
// singular as far as rounding tells. The estimate is checked by a Cholesky factor of S - mu I: if there is
// one, no eigenvalue of S is below mu, but for an error whose norm is at most gamma_(dim+1) times the trace
// (Higham, Accuracy and Stability, theorem 10.3). A A' differs from S by as much. If there is none, the
// estimate was too low, and a smaller mu is tried.
std::optional<double> largest_inverse_eigenvalue(const Matrix& s, const Matrix& root, std::size_t dim) {
  double trace = 0;
  for (std::size_t j = 0; j < dim; ++j) trace += s[j * dim + j];
  // Both factors, the roundings of the diagonal and of the trace, and as much again.
  const double rounding = 4 * static_cast<double>(dim + 4) * 0x1.0p-53 * trace;
  const double estimate = estimated_inverse_eigenvalue(root, dim);
  double step = 1e-6;
  while (step < 1e9) {
    const double mu = 1 / (estimate * (1 + step));
    if (!(mu > 2 * rounding)) return std::nullopt;
    Matrix shifted = s;
    for (std::size_t j = 0; j < dim; ++j) shifted[j * dim + j] -= mu;
    if (cholesky(shifted, dim, Pivots::above_zero)) return 1 / (mu - rounding) * (1 + 0x1.0p-50);
    step *= 4;
  }
  return std::nullopt;
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
  shape.root_ = s;
  std::optional<double> inverse;
  if (cholesky(shape.root_, dim, Pivots::above_rounding)) {
    inverse = largest_inverse_eigenvalue(s, shape.root_, dim);
  }
  if (!inverse) {
    throw Error(
        ErrorCode::usage,
        fmt::format(
            "`lambda` {} gives a singular noise shape: {} words do not span {} dimensions, and no noise "
            "would cover the missing directions; use a `lambda` below 1, such as 0.2",
            number_text(lambda), model.size(), dim));
  }
  shape.euclidean_constant_ = std::sqrt(*inverse) * (1 + 0x1.0p-51);
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

std::function<double(WordId, WordId)> norm_between_words(std::shared_ptr<const Model> model,
                                                         NoiseShape shape) {
  auto shared = std::make_shared<const NoiseShape>(std::move(shape));
  return [model = std::move(model), shape = std::move(shared)](WordId first, WordId second) {
    const std::span<const float> x = model->vector(first);
    const std::span<const float> y = model->vector(second);
    std::vector<double> difference(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) difference[i] = double{x[i]} - double{y[i]};
    // The norm is computed in doubles: far more than the rounding of a triangular solve is added.
    return shape->norm(difference) * (1 + 1e-9);
  };
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
