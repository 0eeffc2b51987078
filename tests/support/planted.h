#pragma once
// Parts of broken mechanisms: laws written down, samplers given as a function, noise and search on a line.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "core/samplers.h"
#include "core/uniform.h"
#include "sotto/mechanism.h"

namespace sotto::test {

using Row = std::vector<double>;  // probabilities of all outputs

inline Row normalised(Row weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  return weights;
}

// Samples from rows written down, as a published sampler with that law would.
class OfRows final : public WordMechanism {
 public:
  explicit OfRows(std::vector<Row> rows) : rows_(std::move(rows)), sums_(rows_) {
    for (Row& row : sums_) std::partial_sum(row.begin(), row.end(), row.begin());
  }
  void sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& rng) const override {
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = word_id(choose_by_sums(rng, sums_[index_of(in[i])]));
  }
  [[nodiscard]] const Row& row(std::size_t word) const { return rows_[word]; }

 private:
  std::vector<Row> rows_;
  std::vector<Row> sums_;
};

// A sampler given as a function, for those without a closed form.
class OfRule final : public WordMechanism {
 public:
  explicit OfRule(std::function<WordId(WordId, Rng&)> rule) : rule_(std::move(rule)) {}
  void sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& rng) const override {
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = rule_(in[i], rng);
  }

 private:
  std::function<WordId(WordId, Rng&)> rule_;
};

// The word at rank `rank` (0: nearest) from a noisy place on a line; ties by index.
template <typename Number>
WordId nearest_on_line(const std::vector<Number>& places, double noisy, std::size_t rank = 0) {
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t y) { return std::abs(noisy - double{places[y]}); });
  return word_id(order[rank]);
}

inline double laplace_noise(double epsilon, Rng& rng) {
  return (bernoulli(rng, 0.5) ? 1 : -1) * exponential(rng) / epsilon;
}

}  // namespace sotto::test
