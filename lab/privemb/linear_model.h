#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sotto::lab {

// Dense rows of features as liblinear wants them, each with the constant 1 after it: the weight of that is
// the intercept, penalised like the others, as in scikit-learn's LinearSVC and liblinear solver.
class FeatureRows {
 public:
  // `values`: row after row, a multiple of `dim`.
  FeatureRows(std::span<const double> values, std::size_t dim);
  ~FeatureRows();
  FeatureRows(FeatureRows&&) noexcept;

  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] std::size_t dim() const noexcept { return dim_; }

 private:
  friend class LinearModel;
  struct Nodes;
  std::unique_ptr<Nodes> nodes_;
  std::size_t dim_;
};

// Some rows with their labels.
struct Examples {
  const FeatureRows& features;
  std::span<const int> labels;          // one for each row of `features`
  std::span<const std::uint32_t> rows;  // which of them, in order
};

// squared_hinge is the linear SVM of scikit-learn's LinearSVC; several classes are learnt one against the
// rest.
enum class Loss { squared_hinge, logistic };

struct LinearTraining {
  Loss loss = Loss::logistic;
  double cost = 1;  // C, of the loss against |w|^2 / 2
};

// A linear classifier trained by liblinear's primal trust-region Newton solvers (-s 0 and -s 2, bias 1,
// tolerance .01). The dual ones (-s 1, LinearSVC's default) have the same optimum but draw from rand(), which
// threads share; these draw nothing, so a result depends on its examples alone.
class LinearModel {
 public:
  // `start`: weights to begin from, of a model of the same examples with another cost; faster, and the same
  // to within the tolerance. Throws Error(internal) without examples.
  static LinearModel train(const Examples& examples, const LinearTraining& training,
                           const LinearModel* start = nullptr);

  // In the order of their first appearance in the examples.
  [[nodiscard]] const std::vector<int>& labels() const noexcept { return labels_; }
  // Feature after feature, the intercept last; one weight each for two classes, one for each class else.
  [[nodiscard]] const std::vector<double>& weights() const noexcept { return weights_; }

  [[nodiscard]] int predict(const FeatureRows& features, std::uint32_t row) const;
  // For two classes: above 0 where `label` is predicted.
  [[nodiscard]] double score(const FeatureRows& features, std::uint32_t row, int label) const;
  // Share of the examples whose label is predicted.
  [[nodiscard]] double accuracy(const Examples& examples) const;

 private:
  LinearModel() = default;

  std::vector<int> labels_;
  std::vector<double> weights_;
};

}  // namespace sotto::lab
