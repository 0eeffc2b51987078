#include "lab/privemb/linear_model.h"

#include <linear.h>

#include <algorithm>

#include "sotto/error.h"

namespace sotto::lab {

namespace {

constexpr double kBias = 1;
constexpr double kTolerance = 0.01;  // liblinear's own for these solvers

void be_quiet() {
  static const bool done = [] {
    set_print_string_function([](const char*) {});
    return true;
  }();
  (void)done;
}

struct ModelDeleter {
  void operator()(model* trained) const { free_and_destroy_model(&trained); }
};

}  // namespace

struct FeatureRows::Nodes {
  std::vector<feature_node> all;
  std::vector<feature_node*> rows;
};

FeatureRows::FeatureRows(std::span<const double> values, std::size_t dim)
    : nodes_(std::make_unique<Nodes>()), dim_(dim) {
  if (dim == 0 || values.size() % dim != 0) {
    throw Error(ErrorCode::internal, "features are not a whole number of rows");
  }
  const std::size_t count = values.size() / dim;
  const std::size_t width = dim + 2;  // the constant, and the end
  nodes_->all.resize(count * width);
  for (std::size_t i = 0; i < count; ++i) {
    feature_node* row = &nodes_->all[i * width];
    nodes_->rows.push_back(row);
    for (std::size_t j = 0; j < dim; ++j) row[j] = {static_cast<int>(j + 1), values[i * dim + j]};
    row[dim] = {static_cast<int>(dim + 1), kBias};
    row[dim + 1] = {-1, 0};
  }
}

FeatureRows::~FeatureRows() = default;
FeatureRows::FeatureRows(FeatureRows&&) noexcept = default;

std::size_t FeatureRows::size() const noexcept {
  return nodes_->rows.size();
}

LinearModel LinearModel::train(const Examples& examples, const LinearTraining& training,
                               const LinearModel* start) {
  if (examples.rows.empty()) throw Error(ErrorCode::internal, "no examples to train on");
  be_quiet();
  std::vector<double> labels;
  std::vector<feature_node*> rows;
  for (const std::uint32_t row : examples.rows) {
    labels.push_back(examples.labels[row]);
    rows.push_back(examples.features.nodes_->rows[row]);
  }
  const problem given{.l = static_cast<int>(rows.size()),
                      .n = static_cast<int>(examples.features.dim() + 1),
                      .y = labels.data(),
                      .x = rows.data(),
                      .bias = kBias};
  parameter how{};
  how.solver_type = training.loss == Loss::logistic ? L2R_LR : L2R_L2LOSS_SVC;
  how.eps = kTolerance;
  how.C = training.cost;
  std::vector<double> first;
  if (start != nullptr) {
    first = start->weights_;
    how.init_sol = first.data();
  }
  if (const char* fault = check_parameter(&given, &how)) throw Error(ErrorCode::internal, fault);
  const std::unique_ptr<model, ModelDeleter> trained(::train(&given, &how));

  LinearModel result;
  result.labels_.assign(trained->label, trained->label + trained->nr_class);
  const std::size_t columns = result.labels_.size() == 2 ? 1 : result.labels_.size();
  result.weights_.assign(trained->w, trained->w + static_cast<std::size_t>(given.n) * columns);
  // Warm weights of a model whose classes came in another order would be those of other classes.
  if (start != nullptr && start->labels_ != result.labels_) return train(examples, training);
  return result;
}

int LinearModel::predict(const FeatureRows& features, std::uint32_t row) const {
  if (labels_.size() <= 2) {
    if (labels_.size() == 1) return labels_[0];
    return score(features, row, labels_[0]) > 0 ? labels_[0] : labels_[1];
  }
  const std::size_t classes = labels_.size();
  std::vector<double> scores(classes);
  const feature_node* nodes = features.nodes_->rows[row];
  for (std::size_t j = 0; j <= features.dim(); ++j) {
    for (std::size_t k = 0; k < classes; ++k) scores[k] += weights_[j * classes + k] * nodes[j].value;
  }
  return labels_[static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin())];
}

double LinearModel::score(const FeatureRows& features, std::uint32_t row, int label) const {
  if (labels_.size() != 2) throw Error(ErrorCode::internal, "a score is for two classes");
  double sum = 0;
  const feature_node* nodes = features.nodes_->rows[row];
  for (std::size_t j = 0; j <= features.dim(); ++j) sum += weights_[j] * nodes[j].value;
  return label == labels_[0] ? sum : -sum;
}

double LinearModel::accuracy(const Examples& examples) const {
  std::size_t right = 0;
  for (const std::uint32_t row : examples.rows) {
    right += predict(examples.features, row) == examples.labels[row] ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(examples.rows.size());
}

}  // namespace sotto::lab
