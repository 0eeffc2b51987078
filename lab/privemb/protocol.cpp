#include "lab/privemb/protocol.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "lab/shuffle.h"

namespace sotto::lab {

namespace {

using Rows = std::vector<std::uint32_t>;

std::vector<double> costs_of(Protocol protocol) {
  const int first = protocol == Protocol::folds_then_test ? -1 : -2;
  const int last = protocol == Protocol::folds_then_test ? 5 : 3;
  std::vector<double> costs;
  for (int power = first; power <= last; ++power) costs.push_back(std::ldexp(1.0, power));
  return costs;
}

Rows all_but(const std::vector<Rows>& folds, std::size_t left_out) {
  Rows rows;
  for (std::size_t k = 0; k < folds.size(); ++k) {
    if (k != left_out) rows.insert(rows.end(), folds[k].begin(), folds[k].end());
  }
  std::ranges::sort(rows);
  return rows;
}

// Features and labels of a task, and the costs to choose from.
class Bench {
 public:
  Bench(const FeatureRows& features, const SentenceWords& words, Protocol protocol)
      : features_(features), words_(words), costs_(costs_of(protocol)) {}

  [[nodiscard]] Examples examples(const Rows& rows) const { return {features_, words_.labels, rows}; }

  // Adds the accuracy on `judged` of a classifier of `learnt` for each cost. Each starts from the one before.
  void add_accuracies(const Rows& learnt, const Rows& judged, std::vector<double>& sums) const {
    std::optional<LinearModel> last;
    sums.resize(costs_.size());
    for (std::size_t i = 0; i < costs_.size(); ++i) {
      last = LinearModel::train(examples(learnt), {.loss = Loss::logistic, .cost = costs_[i]},
                                last ? &*last : nullptr);
      sums[i] += last->accuracy(examples(judged));
    }
  }

  struct Choice {
    double cost;
    double accuracy;
  };
  [[nodiscard]] Choice choose(const std::vector<double>& sums, std::size_t count) const {
    Choice best{.cost = 0, .accuracy = -1};
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const double mean = std::round(1e4 * sums[i] / static_cast<double>(count)) / 1e4;
      if (mean > best.accuracy) best = {.cost = costs_[i], .accuracy = mean};
    }
    return best;
  }

  [[nodiscard]] Choice choose_by_folds(const Rows& rows, std::size_t count, Rng& rng) const {
    const std::vector<Rows> folds = stratified_folds(words_.labels, rows, count, rng);
    std::vector<double> sums;
    for (std::size_t k = 0; k < folds.size(); ++k) add_accuracies(all_but(folds, k), folds[k], sums);
    return choose(sums, folds.size());
  }

  [[nodiscard]] ProtocolResult judge(const Choice& choice, const Rows& learnt, const Rows& judged) const {
    const LinearModel last =
        LinearModel::train(examples(learnt), {.loss = Loss::logistic, .cost = choice.cost});
    return {.train = last.accuracy(examples(learnt)),
            .dev = choice.accuracy,
            .test = last.accuracy(examples(judged))};
  }

 private:
  const FeatureRows& features_;
  const SentenceWords& words_;
  std::vector<double> costs_;
};

ProtocolResult nested(const Bench& bench, const SentenceWords& words, const ProtocolPlan& plan, Rng& rng) {
  const std::vector<Rows> folds = stratified_folds(words.labels, words.train, plan.folds, rng);
  ProtocolResult mean;
  const double share = 1 / static_cast<double>(folds.size());
  for (std::size_t k = 0; k < folds.size(); ++k) {
    const Rows learnt = all_but(folds, k);
    const ProtocolResult one = bench.judge(bench.choose_by_folds(learnt, plan.folds, rng), learnt, folds[k]);
    mean.train += share * one.train;
    mean.dev += share * one.dev;
    mean.test += share * one.test;
  }
  return mean;
}

}  // namespace

std::vector<Rows> stratified_folds(std::span<const int> labels, std::span<const std::uint32_t> rows,
                                   std::size_t count, Rng& rng) {
  std::map<int, Rows> classes;
  for (const std::uint32_t row : rows) classes[labels[row]].push_back(row);
  std::vector<Rows> folds(count);
  std::size_t next = 0;
  for (auto& [label, members] : classes) {
    shuffle(members, rng);
    for (const std::uint32_t row : members) folds[next++ % count].push_back(row);
  }
  for (Rows& fold : folds) std::ranges::sort(fold);
  return folds;
}

ProtocolResult run_protocol(const FeatureRows& features, const SentenceWords& words,
                            const ProtocolPlan& plan) {
  const Bench bench(features, words, plan.protocol);
  Rng rng = Rng::seeded_not_private(plan.seed);
  switch (plan.protocol) {
    case Protocol::nested_folds:
      return nested(bench, words, plan, rng);
    case Protocol::train_dev_test: {
      std::vector<double> sums;
      bench.add_accuracies(words.train, words.dev, sums);
      return bench.judge(bench.choose(sums, 1), words.train, words.test);
    }
    case Protocol::folds_then_test:
      return bench.judge(bench.choose_by_folds(words.train, plan.folds, rng), words.train, words.test);
  }
  return {};
}

}  // namespace sotto::lab
