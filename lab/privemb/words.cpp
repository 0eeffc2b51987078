#include "lab/privemb/words.h"

#include <algorithm>
#include <numeric>

#include "lab/privemb/linear_model.h"
#include "lab/shuffle.h"
#include "lab/statistics.h"

namespace sotto::lab {

namespace {

constexpr std::size_t kTestPart = 5;  // a fifth

std::vector<std::uint32_t> shuffled(std::size_t count, Rng& rng) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  shuffle(order, rng);
  return order;
}

}  // namespace

WordTaskResult run_word_task(const Lexicon& lexicon, const Model& model, const Releaser& releaser, Rng& rng) {
  const std::size_t each = std::min(lexicon.positive.size(), lexicon.negative.size());
  std::vector<WordId> words;
  for (const auto* list : {&lexicon.positive, &lexicon.negative}) {
    const std::vector<std::uint32_t> order = shuffled(list->size(), rng);
    for (std::size_t i = 0; i < each; ++i) words.push_back((*list)[order[i]]);
  }
  std::vector<int> labels(2 * each, -1);
  std::fill_n(labels.begin(), each, 1);

  std::vector<double> released(words.size() * releaser.output_dim());
  releaser.release(word_rows(model, words), released, rng);
  const FeatureRows features(released, releaser.output_dim());
  const std::vector<std::uint32_t> rows = shuffled(words.size(), rng);
  const std::span<const std::uint32_t> all(rows);
  const std::size_t tested = rows.size() / kTestPart;
  const Examples test{features, labels, all.first(tested)};
  const Examples train{features, labels, all.subspan(tested)};
  const LinearModel svm = LinearModel::train(train, {.loss = Loss::squared_hinge, .cost = 1});

  std::vector<float> up;
  std::vector<float> down;
  for (const std::uint32_t row : test.rows) {
    (labels[row] == 1 ? up : down).push_back(static_cast<float>(svm.score(features, row, 1)));
  }
  return {.accuracy = svm.accuracy(test),
          .area = area_under_curve({.positive = up, .negative = down}),
          .train_accuracy = svm.accuracy(train)};
}

std::vector<VectorSeries> word_task_series(const Model& model, const PrivembPlan& plan) {
  constexpr std::size_t kFewDimensions = 20;
  std::vector<VectorSeries> series = {laplace_series()};
  for (const std::string& beta : plan.betas) series.push_back(printed_series(beta));
  series.push_back(vocabulary_series(plan.table_beta));
  if (const auto more = orthonormal_series(model, plan.table_beta)) series.push_back(*more);
  if (const auto more = pca_series(model, plan.table_beta)) series.push_back(*more);
  if (model.dim() > kFewDimensions) series.push_back(pca_series_of(kFewDimensions));
  series.push_back(no_noise_series());
  series.push_back(pure_noise_series());
  series.push_back(same_vector_series());
  return series;
}

std::vector<WordTaskPoint> word_task_grid(const std::vector<VectorSeries>& series, const PrivembPlan& plan) {
  std::vector<WordTaskPoint> grid;
  for (const VectorSeries& one : series) {
    for (const std::string& epsilon : plan.lexicon_epsilons) {
      grid.push_back({one, epsilon});
      if (is_flat(one)) break;
    }
  }
  return grid;
}

Points word_task_points(const Run& run) {
  return run.points("lexicon", {.keys = {"series", "epsilon", "run"},
                                .values = {"dimension", "accuracy", "auc", "train_accuracy"}});
}

void measure_word_task(const PrivembLab& lab, const std::vector<WordTaskPoint>& given, Points& points) {
  const Lexicon lexicon = load_lexicon(lab.run.data(), lab.store.model());
  std::vector<WordTaskPoint> wanted;  // each once: two targets of E_opt may have one epsilon
  for (const WordTaskPoint& point : given) {
    const auto same = [&](const WordTaskPoint& other) {
      return other.series.name == point.series.name && other.epsilon == point.epsilon;
    };
    if (std::ranges::none_of(wanted, same)) wanted.push_back(point);
  }
  run_jobs(lab.run, "lexicon", wanted.size() * lab.plan.runs, [&](std::size_t i) {
    const WordTaskPoint& point = wanted[i / lab.plan.runs];
    const std::vector<std::string> keys = {point.series.name, point.epsilon,
                                           std::to_string(i % lab.plan.runs)};
    if (points.find(keys)) return;
    const Releaser releaser = lab.store.get(
        point.series, {.epsilon = point.epsilon,
                       .projection_seed = lab.run.seed_of({"lexicon projection", keys[0], keys[2]})});
    Rng rng = Rng::seeded_not_private(lab.run.seed_of({"lexicon", keys[0], keys[1], keys[2]}));
    const WordTaskResult result = run_word_task(lexicon, *lab.store.model(), releaser, rng);
    points.add(
        {keys,
         {static_cast<double>(releaser.output_dim()), result.accuracy, result.area, result.train_accuracy}});
  });
}

}  // namespace sotto::lab
