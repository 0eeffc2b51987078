#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "learn/dense.h"
#include "learn/documents.h"

namespace sotto {

// A linear model of classes 0, 1, ... With two classes there is one column of weights, whose score is the log
// odds of class 1. With more there is one column for each class (multinomial): one convex problem whose
// probabilities add up to 1, where one-versus-rest would fit each class against a mixture and give
// probabilities that do not.
struct LinearModel {
  DenseMatrix weights;  // a row for each feature
  std::vector<double> intercepts;

  [[nodiscard]] std::size_t classes() const { return intercepts.size() == 1 ? 2 : intercepts.size(); }
};

struct LogisticQuestion {
  std::span<const std::uint32_t> labels = {};  // of each row, below `classes`
  std::size_t classes = 2;
  double penalty = 1e-3;  // lambda: the mean log loss + lambda / 2 * the squared length of the weights
};

// The minimum of the penalised loss, with free intercepts; the same at every run and number of threads.
LinearModel fit_logistic(const DenseMatrix& rows, const LogisticQuestion& question, unsigned threads);
LinearModel fit_logistic(const Documents& rows, const LogisticQuestion& question, unsigned threads);

// scores + intercepts to probabilities, a column for each class.
DenseMatrix probabilities(const DenseMatrix& scores);
// The class with the largest score of each row, the first of equal ones; of one column: 1 above 0.
std::vector<std::uint32_t> best_classes(const DenseMatrix& scores);

// Minimises a smooth convex function from 0 on, by L-BFGS with a backtracking line search. `loss` fills the
// gradient at `at` and returns the value.
using SmoothLoss = std::function<double(std::span<const double> at, std::span<double> gradient)>;
std::vector<double> minimise(const SmoothLoss& loss, std::size_t dimension);

}  // namespace sotto
