#include "learn/logistic.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/samplers.h"
#include "learn/shrinkage.h"

namespace sotto {
namespace {

DenseMatrix random_rows(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  Rng rng = Rng::seeded_not_private(seed);
  DenseMatrix out = DenseMatrix::zeros(rows, columns);
  for (double& value : out.values) value = gaussian(rng);
  return out;
}

struct Problem {
  DenseMatrix rows;
  std::vector<std::uint32_t> labels;
};
// Labels follow the first columns with noise, so that no weight is infinite.
Problem problem_of(std::size_t classes) {
  Problem out{.rows = random_rows(200, 5, 1), .labels = {}};
  const DenseMatrix noise = random_rows(200, classes, 2);
  for (std::size_t i = 0; i < 200; ++i) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < classes; ++k) {
      if (out.rows.row(i)[k] + noise.row(i)[k] > out.rows.row(i)[best] + noise.row(i)[best]) best = k;
    }
    out.labels.push_back(static_cast<std::uint32_t>(best));
  }
  return out;
}

// The slow reference: plain gradient descent with the derivatives written out.
LinearModel slow_fit(const Problem& problem, std::size_t classes, double penalty) {
  const std::size_t outputs = classes == 2 ? 1 : classes;
  LinearModel model{.weights = DenseMatrix::zeros(problem.rows.columns, outputs),
                    .intercepts = std::vector<double>(outputs, 0.0)};
  for (int step = 0; step < 20000; ++step) {
    DenseMatrix slopes = DenseMatrix::zeros(problem.rows.columns, outputs);
    std::vector<double> shifts(outputs, 0.0);
    for (std::size_t i = 0; i < problem.rows.rows; ++i) {
      std::vector<double> scores = model.intercepts;
      for (std::size_t k = 0; k < outputs; ++k) {
        for (std::size_t j = 0; j < problem.rows.columns; ++j) {
          scores[k] += problem.rows.row(i)[j] * model.weights.row(j)[k];
        }
      }
      std::vector<double> p(outputs);
      double total = outputs == 1 ? 1 : 0;
      for (std::size_t k = 0; k < outputs; ++k) total += p[k] = std::exp(scores[k]);
      for (std::size_t k = 0; k < outputs; ++k) {
        const double wanted = problem.labels[i] == (outputs == 1 ? 1 : k) ? 1 : 0;
        const double off = (p[k] / total - wanted) / static_cast<double>(problem.rows.rows);
        shifts[k] += off;
        for (std::size_t j = 0; j < problem.rows.columns; ++j)
          slopes.row(j)[k] += off * problem.rows.row(i)[j];
      }
    }
    for (std::size_t j = 0; j < slopes.values.size(); ++j) {
      model.weights.values[j] -= 0.5 * (slopes.values[j] + penalty * model.weights.values[j]);
    }
    for (std::size_t k = 0; k < outputs; ++k) model.intercepts[k] -= 0.5 * shifts[k];
  }
  return model;
}

TEST(Logistic, EqualsGradientDescent) {
  for (const std::size_t classes : {2UL, 4UL}) {
    const Problem problem = problem_of(classes);
    const LinearModel slow = slow_fit(problem, classes, 0.01);
    const LinearModel quick =
        fit_logistic(problem.rows, {.labels = problem.labels, .classes = classes, .penalty = 0.01}, 2);
    EXPECT_EQ(quick.classes(), classes);
    for (std::size_t j = 0; j < slow.weights.values.size(); ++j) {
      EXPECT_NEAR(quick.weights.values[j], slow.weights.values[j], 2e-4) << classes;
    }
    // With more than two classes only differences of intercepts matter.
    for (std::size_t k = 0; k < slow.intercepts.size(); ++k) {
      const double base = classes == 2 ? 0 : slow.intercepts[0] - quick.intercepts[0];
      EXPECT_NEAR(quick.intercepts[k] + base, slow.intercepts[k], 2e-4) << classes;
    }
  }
}

TEST(Logistic, SparseRowsGiveTheSameModel) {
  const Problem problem = problem_of(3);
  Documents sparse{.columns = problem.rows.columns};
  for (std::size_t i = 0; i < problem.rows.rows; ++i) {
    for (std::size_t j = 0; j < problem.rows.columns; ++j) {
      sparse.words.push_back(static_cast<std::uint32_t>(j));
      sparse.values.push_back(problem.rows.row(i)[j]);
    }
    sparse.ends.push_back(sparse.words.size());
  }
  const LogisticQuestion question{.labels = problem.labels, .classes = 3, .penalty = 0.01};
  const LinearModel a = fit_logistic(problem.rows, question, 1);
  const LinearModel b = fit_logistic(sparse, question, 2);
  for (std::size_t j = 0; j < a.weights.values.size(); ++j) {
    EXPECT_NEAR(a.weights.values[j], b.weights.values[j], 1e-5);
  }
}

TEST(Logistic, ProbabilitiesAndClasses) {
  const DenseMatrix one = probabilities({.rows = 2, .columns = 1, .values = {0, 800}});
  EXPECT_DOUBLE_EQ(one.row(0)[1], 0.5);
  EXPECT_DOUBLE_EQ(one.row(1)[1], 1);
  EXPECT_DOUBLE_EQ(one.row(1)[0], 0);
  const DenseMatrix three = probabilities({.rows = 1, .columns = 3, .values = {1000, 1000, -1000}});
  EXPECT_NEAR(three.row(0)[0], 0.5, 1e-12);  // 1000 has no more digits
  EXPECT_DOUBLE_EQ(three.row(0)[2], 0);
  EXPECT_EQ(best_classes({.rows = 2, .columns = 3, .values = {1, 3, 2, 5, 5, 1}}),
            (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(best_classes({.rows = 2, .columns = 1, .values = {0.1, -0.1}}),
            (std::vector<std::uint32_t>{1, 0}));
}

// Doubling and shifting is undone; a constant input has no slope, only the mean.
TEST(Shrinkage, UndoesAnAffineMap) {
  const DenseMatrix clean = random_rows(500, 3, 4);
  DenseMatrix lifted = clean;
  for (double& value : lifted.values) value = 0.5 * value + 2;
  const ShrinkageMap map = shrinkage_map(lifted, clean, 2);
  const DenseMatrix again = mapped(lifted, map, 1);
  for (std::size_t i = 0; i < clean.values.size(); ++i) {
    EXPECT_NEAR(again.values[i], clean.values[i], 0.02);  // the ridge of a thousandth
  }
  const ShrinkageMap flat = shrinkage_map(DenseMatrix::zeros(500, 3), clean, 1);
  const std::vector<double> mean = column_means(clean);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_DOUBLE_EQ(flat.offset[j], mean[j]);
}

}  // namespace
}  // namespace sotto
