#include "mechanisms/privemb/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sotto {
namespace {

// The smaller of P P' and P' P, row after row, in units of unit^2.
struct Gram {
  std::vector<double> entries;
  std::size_t size = 0;
  double trace = 0;  // |P|_F^2
  double unit = 1;
};

// P P' of a sparse P. In units of the entry's square its numbers are whole, so they are exact.
Gram sparse_gram_of(const Projection& projection) {
  const std::size_t size = projection.output_dim();
  Gram gram{
      .entries = std::vector<double>(size * size, 0.0), .size = size, .unit = projection.sparse_entry()};
  for (std::size_t k = 0; k < projection.input_dim(); ++k) {
    for (std::size_t a = 0; a < projection.sparse_entries(); ++a) {
      const Projection::Place first = projection.place(k, a);
      for (std::size_t b = 0; b < projection.sparse_entries(); ++b) {
        const Projection::Place second = projection.place(k, b);
        gram.entries[first.row * size + second.row] += first.sign * second.sign;
      }
    }
  }
  gram.trace = static_cast<double>(projection.input_dim() * projection.sparse_entries());
  return gram;
}

Gram gram_of(const Projection& projection) {
  if (projection.is_sparse()) return sparse_gram_of(projection);
  const std::size_t rows = projection.output_dim();
  const std::size_t columns = projection.input_dim();
  const bool by_rows = rows <= columns;
  Gram gram{.entries = {}, .size = std::min(rows, columns)};
  gram.entries.assign(gram.size * gram.size, 0.0);
  const std::size_t terms = std::max(rows, columns);
  for (std::size_t i = 0; i < gram.size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < terms; ++k) {
        sum += by_rows ? projection.row(i)[k] * projection.row(j)[k]
                       : projection.row(k)[i] * projection.row(k)[j];
      }
      gram.entries[i * gram.size + j] = sum;
      gram.entries[j * gram.size + i] = sum;
    }
    gram.trace += gram.entries[i * gram.size + i];
  }
  return gram;
}

// From below, and close.
double power_method(const Gram& gram) {
  std::vector<double> x(gram.size);
  for (std::size_t j = 0; j < gram.size; ++j) x[j] = 1 + 0.37 * std::sin(static_cast<double>(3 * j + 1));
  double value = 0;
  for (int round = 0; round < 2000; ++round) {
    double squares = 0;
    for (const double entry : x) squares += entry * entry;
    std::vector<double> next(gram.size, 0.0);
    double rayleigh = 0;
    for (std::size_t i = 0; i < gram.size; ++i) {
      for (std::size_t j = 0; j < gram.size; ++j) next[i] += gram.entries[i * gram.size + j] * x[j];
      rayleigh += next[i] * x[i] / squares;
    }
    double length = 0;
    for (const double entry : next) length = std::max(length, std::abs(entry));
    if (length == 0) return 0;
    for (double& entry : next) entry /= length;
    x = std::move(next);
    if (std::abs(rayleigh - value) <= 1e-12 * rayleigh) return rayleigh;
    value = rayleigh;
  }
  return value;
}

// Whether limit * I - gram has a Cholesky factor in floating point.
bool is_below(const Gram& gram, double limit) {
  const std::size_t size = gram.size;
  std::vector<double> s = gram.entries;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) s[i * size + j] = -s[i * size + j];
    s[i * size + i] += limit;
  }
  for (std::size_t j = 0; j < size; ++j) {
    for (std::size_t k = 0; k <= j; ++k) {
      double value = s[j * size + k];
      for (std::size_t i = 0; i < k; ++i) value -= s[j * size + i] * s[k * size + i];
      if (k < j) {
        s[j * size + k] = value / s[k * size + k];
      } else if (value > 0) {
        s[j * size + j] = std::sqrt(value);
      } else {
        return false;
      }
    }
  }
  return true;
}

// ln of the upper tail of Gamma(shape a, scale 1) at x > a + 1: Lentz's continued fraction. For x below
// that it is no small number, and the series of the lower tail does.
double log_gamma_tail(double a, double x) {
  const double front = a * std::log(x) - x - std::lgamma(a);
  if (x < a + 1) {
    double term = 1 / a;
    double sum = term;
    for (double n = a + 1; term > sum * 1e-17; n += 1) {
      term *= x / n;
      sum += term;
    }
    return std::log1p(-std::exp(front) * sum);
  }
  double b = x + 1 - a;
  double c = 1e300;
  double d = 1 / b;
  double fraction = d;
  for (int i = 1; i < 100000; ++i) {
    const double an = -i * (i - a);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    fraction *= d * c;
    if (std::abs(d * c - 1) < 1e-15) break;
  }
  return front + std::log(fraction);
}

double log_chi_squared_tail(double freedom, double x) {
  return log_gamma_tail(freedom / 2, x / 2);
}

// ln of the failure probability that each pair may have.
double log_share(const PaperCase& given) {
  const auto n = static_cast<double>(given.words);
  return std::log(given.delta) - std::log(n) - std::log((n - 1) / 2);
}

}  // namespace

double spectral_stretch(const Projection& projection) {
  if (projection.is_identity()) return 1;
  const Gram gram = gram_of(projection);
  const auto size = static_cast<double>(gram.size);
  const auto terms = static_cast<double>(std::max(projection.input_dim(), projection.output_dim()));
  const double limit = std::max(power_method(gram), 1e-300);
  // Success proves: the computed factor is that of limit * I - P P' up to an error whose norm is at most
  // gamma_terms |P|_F^2 (the products), gamma_(size+1) trace (the factor; Higham, Accuracy and Stability,
  // theorem 10.3) and a rounding of the diagonal. Twice that is added.
  for (double step = 1e-10;; step *= 2) {
    const double tried = limit * (1 + step);
    if (!is_below(gram, tried)) continue;
    const double rounding = (terms + size + 8) * 0x1.0p-52 * (gram.trace + size * tried);
    return std::sqrt(tried + rounding) * gram.unit * (1 + 0x1.0p-50);
  }
}

double paper_stretch(const PaperCase& given) {
  const auto m = static_cast<double>(given.dimension);
  const double target = log_share(given);
  double low = m;
  double high = 2 * m;
  while (log_chi_squared_tail(m, high) > target) high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-13 * high; ++i) {
    const double middle = (low + high) / 2;
    (log_chi_squared_tail(m, middle) > target ? low : high) = middle;
  }
  return std::sqrt(high / m);
}

bool paper_beta_holds(const PaperCase& given, double beta) {
  const auto m = static_cast<double>(given.dimension);
  return log_chi_squared_tail(m, m * (1 + beta) * (1 + beta)) <= log_share(given);
}

double paper_dimension(const PaperFormula& given) {
  const double root =
      std::sqrt(std::log(static_cast<double>(given.input_dim))) + std::sqrt(-std::log(given.delta));
  return std::floor(1.178 * root * root / (given.beta * given.beta));
}

}  // namespace sotto
