#include "learn/logistic.h"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

// Rows of features as a linear map: what the loss needs of them.
struct RowMap {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::function<DenseMatrix(const DenseMatrix&)> times;             // rows * weights
  std::function<DenseMatrix(const DenseMatrix&)> transposed_times;  // transposed(rows) * residuals
};

double log_sum_exp(std::span<const double> values) {
  const double top = *std::ranges::max_element(values);
  double sum = 0;
  for (const double value : values) sum += std::exp(value - top);
  return top + std::log(sum);
}

// Replaces the scores of one row by the derivative of its loss, which is returned.
double row_loss(std::span<double> scores, std::uint32_t label) {
  if (scores.size() == 1) {
    const double sign = label == 1 ? 1 : -1;
    const double margin = sign * scores[0];
    const double loss = margin > 0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin;
    scores[0] =
        margin > 0 ? -sign * std::exp(-margin) / (1 + std::exp(-margin)) : -sign / (1 + std::exp(margin));
    return loss;
  }
  const double total = log_sum_exp(scores);
  const double loss = total - scores[label];
  for (double& score : scores) score = std::exp(score - total);
  scores[label] -= 1;
  return loss;
}

LinearModel fit(const RowMap& map, const LogisticQuestion& question) {
  const std::size_t outputs = question.classes == 2 ? 1 : question.classes;
  const std::size_t weights = map.columns * outputs;
  const auto loss = [&](std::span<const double> at, std::span<double> gradient) {
    const DenseMatrix own{
        .rows = map.columns,
        .columns = outputs,
        .values = std::vector<double>(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(weights))};
    DenseMatrix scores = map.times(own);
    const double share = 1 / static_cast<double>(map.rows);
    double sum = 0;
    std::ranges::fill(gradient, 0.0);
    for (std::size_t i = 0; i < map.rows; ++i) {
      const auto row = scores.row(i);
      for (std::size_t k = 0; k < outputs; ++k) row[k] += at[weights + k];
      sum += share * row_loss(row, question.labels[i]);
      for (std::size_t k = 0; k < outputs; ++k) {
        row[k] *= share;
        gradient[weights + k] += row[k];
      }
    }
    const DenseMatrix slopes = map.transposed_times(scores);
    double squares = 0;
    for (std::size_t j = 0; j < weights; ++j) {
      gradient[j] = slopes.values[j] + question.penalty * at[j];
      squares += at[j] * at[j];
    }
    return sum + 0.5 * question.penalty * squares;
  };
  const std::vector<double> found = minimise(loss, weights + outputs);
  const auto border = found.begin() + static_cast<std::ptrdiff_t>(weights);
  return {.weights = {.rows = map.columns, .columns = outputs, .values = {found.begin(), border}},
          .intercepts = {border, found.end()}};
}

}  // namespace

LinearModel fit_logistic(const DenseMatrix& rows, const LogisticQuestion& question, unsigned threads) {
  return fit({.rows = rows.rows,
              .columns = rows.columns,
              .times = [&](const DenseMatrix& weights) { return product(rows, weights, threads); },
              .transposed_times =
                  [&](const DenseMatrix& residuals) { return transposed_product(rows, residuals, threads); }},
             question);
}

LinearModel fit_logistic(const Documents& rows, const LogisticQuestion& question, unsigned threads) {
  const Documents columns = transposed(rows);
  return fit({.rows = rows.size(),
              .columns = rows.columns,
              .times = [&](const DenseMatrix& weights) { return product(rows, weights, threads); },
              .transposed_times =
                  [&](const DenseMatrix& residuals) { return product(columns, residuals, threads); }},
             question);
}

DenseMatrix probabilities(const DenseMatrix& scores) {
  DenseMatrix out = DenseMatrix::zeros(scores.rows, scores.columns == 1 ? 2 : scores.columns);
  for (std::size_t i = 0; i < scores.rows; ++i) {
    const auto from = scores.row(i);
    const auto to = out.row(i);
    if (scores.columns == 1) {
      to[1] = 1 / (1 + std::exp(-from[0]));
      to[0] = 1 / (1 + std::exp(from[0]));
    } else {
      const double total = log_sum_exp(from);
      for (std::size_t k = 0; k < to.size(); ++k) to[k] = std::exp(from[k] - total);
    }
  }
  return out;
}

std::vector<std::uint32_t> best_classes(const DenseMatrix& scores) {
  std::vector<std::uint32_t> out(scores.rows);
  for (std::size_t i = 0; i < scores.rows; ++i) {
    const auto row = scores.row(i);
    out[i] = row.size() == 1 ? (row[0] > 0 ? 1 : 0)
                             : static_cast<std::uint32_t>(std::ranges::max_element(row) - row.begin());
  }
  return out;
}

}  // namespace sotto
