// Householder's reduction to tridiagonal form, then QR steps with Wilkinson's shift (Golub and Van Loan,
// Matrix Computations, section 8.3), the rotations being applied to rows that become the eigenvectors.
#include "mechanisms/privemb/eigenvectors.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sotto/error.h"

namespace sotto {
namespace {

using Matrix = std::vector<double>;

// T = V A V', V orthogonal.
struct Tridiagonal {
  std::vector<double> diagonal;
  std::vector<double> beside;  // [i] couples i and i + 1
  Matrix rows;                 // V
};

// One reflection I - factor v v'; v is zero up to its index, and not stored there.
struct Reflection {
  std::vector<double> v;
  double factor = 0;
};

// a -= v w' + w v' for the block below and right of `first`, with w chosen so that the block is reflected.
void reflect_block(Matrix& a, std::size_t size, std::size_t first, const Reflection& reflection) {
  const std::size_t count = size - first;
  std::vector<double> w(count, 0.0);
  double overlap = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double* const row = &a[(first + i) * size + first];
    double sum = 0;
    for (std::size_t j = 0; j < count; ++j) sum += row[j] * reflection.v[j];
    w[i] = reflection.factor * sum;
    overlap += w[i] * reflection.v[i];
  }
  for (std::size_t i = 0; i < count; ++i) w[i] -= 0.5 * reflection.factor * overlap * reflection.v[i];
  for (std::size_t i = 0; i < count; ++i) {
    double* const row = &a[(first + i) * size + first];
    for (std::size_t j = 0; j < count; ++j) row[j] -= reflection.v[i] * w[j] + w[i] * reflection.v[j];
  }
}

Tridiagonal tridiagonal_of(Matrix a, std::size_t size) {
  Tridiagonal out{std::vector<double>(size), std::vector<double>(size, 0.0), Matrix(size * size, 0.0)};
  std::vector<Reflection> reflections(size);
  for (std::size_t k = 0; k + 1 < size; ++k) {
    Reflection& reflection = reflections[k];
    double squares = 0;
    for (std::size_t i = k + 1; i < size; ++i) {
      reflection.v.push_back(a[i * size + k]);
      squares += reflection.v.back() * reflection.v.back();
    }
    const double head = reflection.v.front();
    const double length = std::sqrt(squares);
    out.beside[k] = head > 0 ? -length : length;
    const double product = squares + std::abs(head) * length;  // |v|^2 / 2 once the head is changed
    if (product > 0) {
      reflection.v.front() -= out.beside[k];
      reflection.factor = 1 / product;
      reflect_block(a, size, k + 1, reflection);
    }
  }
  for (std::size_t i = 0; i < size; ++i) out.diagonal[i] = a[i * size + i];
  // V = ... H_1 H_0: from the last one, each touches only the rows and columns behind it.
  Matrix& v = out.rows;
  for (std::size_t i = 0; i < size; ++i) v[i * size + i] = 1;
  for (std::size_t k = size; k-- > 0;) {
    const Reflection& reflection = reflections[k];
    if (reflection.factor == 0) continue;
    const std::size_t first = k + 1;
    for (std::size_t i = first; i < size; ++i) {
      double* const row = &v[i * size + first];
      double sum = 0;
      for (std::size_t j = 0; j < size - first; ++j) sum += row[j] * reflection.v[j];
      for (std::size_t j = 0; j < size - first; ++j) row[j] -= reflection.factor * sum * reflection.v[j];
    }
  }
  return out;
}

// One step on the unreduced block [low, high], which drives beside[high - 1] to zero.
void qr_step(Tridiagonal& t, std::size_t size, std::size_t low, std::size_t high) {
  auto& d = t.diagonal;
  auto& e = t.beside;
  const double half = (d[high - 1] - d[high]) / 2;
  const double root = std::hypot(half, e[high - 1]);
  const double shift = d[high] - e[high - 1] * (e[high - 1] / (half + (half < 0 ? -root : root)));
  double x = d[low] - shift;
  double bulge = e[low];
  for (std::size_t k = low; k < high; ++k) {
    const double length = std::hypot(x, bulge);
    const double c = length > 0 ? x / length : 1;
    const double s = length > 0 ? bulge / length : 0;
    if (k > low) e[k - 1] = length;
    const double above = d[k];
    const double below = d[k + 1];
    const double between = e[k];
    d[k] = c * c * above + 2 * c * s * between + s * s * below;
    d[k + 1] = s * s * above - 2 * c * s * between + c * c * below;
    e[k] = c * s * (below - above) + (c * c - s * s) * between;
    if (k + 1 < high) {
      x = e[k];
      bulge = s * e[k + 1];
      e[k + 1] *= c;
    }
    double* const first = &t.rows[k * size];
    double* const second = first + size;
    for (std::size_t j = 0; j < size; ++j) {
      const double a = first[j];
      const double b = second[j];
      first[j] = c * a + s * b;
      second[j] = c * b - s * a;
    }
  }
}

void diagonalise(Tridiagonal& t, std::size_t size) {
  auto& d = t.diagonal;
  auto& e = t.beside;
  double largest = 0;
  for (std::size_t i = 0; i < size; ++i) largest = std::max({largest, std::abs(d[i]), std::abs(e[i])});
  const auto is_zero = [&](std::size_t i) {
    return std::abs(e[i]) <= 0x1.0p-53 * (std::abs(d[i]) + std::abs(d[i + 1])) ||
           std::abs(e[i]) <= 0x1.0p-60 * largest;
  };
  std::size_t steps = 0;
  for (std::size_t high = size; high-- > 1;) {
    while (!is_zero(high - 1)) {
      std::size_t low = high - 1;
      while (low > 0 && !is_zero(low - 1)) --low;
      qr_step(t, size, low, high);
      if (++steps > 60 * size)
        throw Error(ErrorCode::internal, "the eigenvalues of a matrix do not converge");
    }
    e[high - 1] = 0;
  }
}

void fix_sign(double* row, std::size_t size) {
  const double* const end = row + size;
  const double largest =
      *std::max_element(row, row + size, [](double a, double b) { return std::abs(a) < std::abs(b); });
  if (largest >= 0) return;
  for (; row < end; ++row) *row = -*row;
}

}  // namespace

Eigen symmetric_eigenvectors(std::vector<double> matrix, std::size_t size) {
  Tridiagonal t = tridiagonal_of(std::move(matrix), size);
  diagonalise(t, size);
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return t.diagonal[a] > t.diagonal[b]; });
  Eigen out;
  for (const std::size_t i : order) {
    out.values.push_back(t.diagonal[i]);
    double* const row = &t.rows[i * size];
    fix_sign(row, size);
    out.vectors.insert(out.vectors.end(), row, row + size);
  }
  return out;
}

}  // namespace sotto
