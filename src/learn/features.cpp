#include "learn/features.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/samplers.h"
#include "mechanisms/privemb/eigenvectors.h"

namespace sotto {
namespace {

// Subtracts the mean under `shares` from each column.
void centre(DenseMatrix& features, std::span<const double> shares) {
  std::vector<double> mean(features.columns, 0.0);
  for (std::size_t w = 0; w < features.rows; ++w) {
    const auto row = features.row(w);
    for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += shares[w] * row[j];
  }
  subtract_from_rows(features, mean);
}

// The centred, weighted documents as a linear map, never written out.
class CentredDocuments {
 public:
  CentredDocuments(const Documents& documents, std::span<const double> weights, unsigned threads)
      : rows_(documents), mean_(documents.columns, 0.0), threads_(threads) {
    for (std::size_t i = 0; i < rows_.words.size(); ++i) {
      rows_.values[i] *= weights[rows_.words[i]];
      mean_[rows_.words[i]] += rows_.values[i];
    }
    for (double& value : mean_) value /= static_cast<double>(std::max<std::size_t>(rows_.size(), 1));
    columns_ = transposed(rows_);
  }

  // (W - 1 mean') * basis
  [[nodiscard]] DenseMatrix times(const DenseMatrix& basis) const {
    std::vector<double> shift(basis.columns, 0.0);
    for (std::size_t w = 0; w < basis.rows; ++w) {
      const auto row = basis.row(w);
      for (std::size_t j = 0; j < shift.size(); ++j) shift[j] += mean_[w] * row[j];
    }
    DenseMatrix out = product(rows_, basis, threads_);
    subtract_from_rows(out, shift);
    return out;
  }
  // (W - 1 mean')' * projected
  [[nodiscard]] DenseMatrix transposed_times(const DenseMatrix& projected) const {
    std::vector<double> sums = column_means(projected);
    for (double& sum : sums) sum *= static_cast<double>(projected.rows);
    DenseMatrix out = product(columns_, projected, threads_);
    for (std::size_t w = 0; w < out.rows; ++w) {
      const auto row = out.row(w);
      for (std::size_t j = 0; j < sums.size(); ++j) row[j] -= mean_[w] * sums[j];
    }
    return out;
  }

 private:
  Documents rows_;
  Documents columns_;
  std::vector<double> mean_;
  unsigned threads_;
};

}  // namespace

DenseMatrix word_features(const Documents& documents, std::span<const double> shares,
                          std::optional<WordId> unknown, const FeatureSettings& settings, const Work& work) {
  const std::size_t words = documents.columns;
  std::vector<double> weights(words);
  for (std::size_t w = 0; w < words; ++w) weights[w] = 1 / std::sqrt(shares[w] + settings.smoothing);
  if (unknown) weights[index_of(*unknown)] = 0;
  const CentredDocuments centred(documents, weights, work.threads);
  Rng rng = Rng::seeded_not_private(settings.seed);
  DenseMatrix basis = DenseMatrix::zeros(words, std::min(words, settings.features + settings.oversampling));
  for (double& value : basis.values) value = gaussian(rng);
  for (std::size_t i = 0; i < settings.power_iterations; ++i) {
    basis = orthonormal_columns(centred.transposed_times(centred.times(basis)), work.threads);
    if (work.progress) {
      work.progress({.done = i + 1, .total = settings.power_iterations, .unit = "iterations"});
    }
  }
  const DenseMatrix small = centred.times(basis);
  const Eigen eigen =
      symmetric_eigenvectors(transposed_product(small, small, work.threads).values, basis.columns);
  const std::size_t kept = std::min(settings.features, basis.columns);
  DenseMatrix turn = DenseMatrix::zeros(basis.columns, kept);
  for (std::size_t j = 0; j < kept; ++j) {
    for (std::size_t i = 0; i < basis.columns; ++i) turn.row(i)[j] = eigen.vectors[j * basis.columns + i];
  }
  DenseMatrix features = product(basis, turn, work.threads);
  for (std::size_t w = 0; w < words; ++w) {
    for (double& value : features.row(w)) value *= weights[w];
  }
  centre(features, shares);
  return features;
}

DenseMatrix vector_features(const Model& model, std::span<const double> shares) {
  const std::size_t own =
      std::min({kIdentityWords, model.size(), std::max<std::size_t>(kMostIdentityValues / model.size(), 1)});
  std::vector<std::size_t> order(model.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return shares[a] > shares[b]; });
  DenseMatrix out = DenseMatrix::zeros(model.size(), model.dim() + own);
  for (std::size_t w = 0; w < model.size(); ++w) {
    std::ranges::copy(model.vector(word_id(w)), out.row(w).begin());
  }
  for (std::size_t j = 0; j < own; ++j) {
    if (shares[order[j]] > 0) out.row(order[j])[model.dim() + j] = std::pow(shares[order[j]], -0.25);
  }
  centre(out, shares);
  return out;
}

}  // namespace sotto
