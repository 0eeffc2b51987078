#pragma once
// The laws and losses of tem from the words' own vectors, in long double, output by output. It uses nothing
// of Space, AllPairs or the certificates that it judges.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "sotto/model.h"
#include "sotto/space.h"

namespace sotto::test {

using Real = long double;  // 64 bits of mantissa or more: errors far below the additive loss of 1e-9
using Matrix = std::vector<std::vector<Real>>;

inline Real exact_distance(std::span<const float> x, std::span<const float> y, Metric metric) {
  Real squares = 0;
  Real sum = 0;
  Real largest = 0;
  Real norm_x = 0;
  Real norm_y = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const Real difference = Real{x[j]} - Real{y[j]};
    squares += difference * difference;
    sum += std::fabs(difference);
    largest = std::max(largest, std::fabs(difference));
    norm_x += Real{x[j]} * x[j];
    norm_y += Real{y[j]} * y[j];
  }
  switch (metric) {
    case Metric::euclidean:
      return std::sqrt(squares);
    case Metric::manhattan:
      return sum;
    case Metric::chebyshev:
      return largest;
    case Metric::poincare:
      return 2 * std::asinh(std::sqrt(squares / ((1 - norm_x) * (1 - norm_y))));
    case Metric::angular:
    case Metric::chord:
      break;
  }
  Real apart = 0;
  Real together = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const Real a = x[j] / std::sqrt(norm_x);
    const Real b = y[j] / std::sqrt(norm_y);
    apart += (a - b) * (a - b);
    together += (a + b) * (a + b);
  }
  if (metric == Metric::chord) return std::sqrt(apart);
  return 2 * std::atan2(std::sqrt(apart), std::sqrt(together));
}

inline Matrix exact_distances(const Model& model, Metric metric) {
  Matrix distances(model.size(), std::vector<Real>(model.size(), 0));
  for (std::size_t a = 0; a < model.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      distances[a][b] = distances[b][a] =
          exact_distance(model.vector(word_id(a)), model.vector(word_id(b)), metric);
    }
  }
  return distances;
}

struct ExactLaw {
  double slope = 0;
  double gamma = 0;
  std::vector<double> base_weights = {};  // empty: all 1
};

// ln P(y|w), row after row.
inline Matrix exact_log_laws(const Matrix& distances, const ExactLaw& law) {
  Matrix rows = distances;
  for (auto& row : rows) {
    Real total = 0;
    for (std::size_t y = 0; y < row.size(); ++y) {
      const Real weight = law.base_weights.empty() ? Real{1} : Real{law.base_weights[y]};
      row[y] = std::log(weight) - Real{law.slope} * std::min(row[y], Real{law.gamma});
      total += std::exp(row[y]);
    }
    for (Real& value : row) value -= std::log(total);
  }
  return rows;
}

inline Real exact_loss(const std::vector<Real>& one, const std::vector<Real>& other) {
  Real loss = 0;
  for (std::size_t y = 0; y < one.size(); ++y) loss = std::max(loss, std::fabs(one[y] - other[y]));
  return loss;
}

}  // namespace sotto::test
