#include <fmt/format.h>

#include "lab/privemb/report.h"
#include "lab/statistics.h"
#include "sotto/parameters.h"

namespace sotto::lab {

namespace {

using html::Plot;
using html::ReferenceLine;

double plan_number(const std::string& text) {
  return parse_number("a number of the plan", text, Infinity::refused);
}

html::Point point_of(double x, const std::vector<double>& values) {
  const TrialMean mean = trial_mean(values);
  return {.x = x, .y = mean.mean, .low = mean.interval.low, .high = mean.interval.high};
}

ReferenceLine line_of(const std::vector<double>& values, const std::string& label) {
  return {.at = trial_mean(values).mean, .label = label};
}

struct PairFigure {
  std::string name;   // "figure-1"
  std::string title;  // without the epsilon
  std::string axis;
  const Points& points;
};

// One panel of figure 1 or 2: the paper's have scales of their own too.
void save_pair_panel(const PrivembLab& lab, const PairFigure& figure, const std::string& epsilon) {
  const Model& model = *lab.store.model();
  Plot plot{.title = fmt::format("{}, epsilon {}", figure.title, epsilon),
            .x = {.label = "beta (M2's dimension follows from it; ours have the same dimension)"},
            .y = {.label = figure.axis}};
  html::Series m1{.name = "M1 (all dimensions)"};
  html::Series m2{.name = "M2 (privemb as printed)"};
  html::Series orthonormal{.name = "orthonormal, certified"};
  html::Series pca{.name = "pca, certified"};
  const auto at = [&](const VectorSeries& series) {
    return trial_values(figure.points, {series.name, epsilon}, "mean");
  };
  for (const std::string& beta : lab.plan.betas) {
    const double x = plan_number(beta);
    m1.points.push_back(point_of(x, at(laplace_series())));
    m2.points.push_back(point_of(x, at(printed_series(beta))));
    if (const auto one = orthonormal_series(model, beta)) orthonormal.points.push_back(point_of(x, at(*one)));
    if (const auto one = pca_series(model, beta)) pca.points.push_back(point_of(x, at(*one)));
  }
  plot.series = {std::move(m1), std::move(m2), std::move(orthonormal), std::move(pca)};
  plot.lines = {line_of(at(no_noise_series()), "no noise"), line_of(at(pure_noise_series()), "pure noise"),
                line_of(at(same_vector_series()), "same vector for all")};
  lab.run.save_figure(fmt::format("{}-epsilon-{}", figure.name, epsilon), plot);
}

}  // namespace

void save_word_figure(const PrivembLab& lab, const std::vector<VectorSeries>& all, const Points& words,
                      const WordFigure& figure) {
  Plot plot{.title = figure.title,
            .x = {.label = "epsilon"},
            .y = {.label = figure.column == "auc" ? "area under the curve" : "accuracy on the test words"}};
  for (const VectorSeries& series : all) {
    const auto at = [&](const std::string& epsilon) {
      return trial_values(words, {series.name, epsilon}, figure.column);
    };
    if (is_flat(series)) {
      plot.lines.push_back(line_of(at(lab.plan.lexicon_epsilons.front()), series.name));
      continue;
    }
    html::Series drawn{.name = series.name};
    for (const std::string& epsilon : lab.plan.lexicon_epsilons) {
      drawn.points.push_back(point_of(plan_number(epsilon), at(epsilon)));
    }
    plot.series.push_back(std::move(drawn));
  }
  lab.run.save_figure(figure.name, plot);
}

void save_privacy_figures(const PrivembLab& lab, const std::vector<VectorSeries>& all,
                          const PrivacyPoints& privacy_points, const Points& words) {
  Plot privacy{.title = "How often the best guess of the word is wrong",
               .x = {.label = "epsilon", .scale = html::Axis::Scale::logarithmic},
               .y = {.label = "E_opt", .from = 0, .to = 1}};
  Plot frontier{.title = "Accuracy on the opinion lexicon at equal empirical privacy",
                .x = {.label = "E_opt: how often the best guess of the word is wrong", .from = 0, .to = 1},
                .y = {.label = "accuracy on the test words"}};
  const Points& errors = privacy_points.errors;
  for (const VectorSeries& series : all) {
    html::Series curve{.name = series.name};
    html::Series front{.name = series.name};
    for (const std::string& epsilon : lab.plan.lexicon_epsilons) {
      const auto row = errors.find(std::vector{series.name, epsilon});
      if (!row) continue;
      const double error = row->values[errors.value("e_opt")];
      curve.points.push_back({.x = plan_number(epsilon),
                              .y = error,
                              .low = row->values[errors.value("e_opt_low")],
                              .high = row->values[errors.value("e_opt_high")]});
      front.points.push_back(point_of(error, trial_values(words, {series.name, epsilon}, "accuracy")));
    }
    if (curve.points.empty()) {
      const std::vector<double> flat =
          trial_values(words, {series.name, lab.plan.lexicon_epsilons.front()}, "accuracy");
      frontier.lines.push_back(line_of(flat, series.name));
      continue;
    }
    privacy.series.push_back(std::move(curve));
    frontier.series.push_back(std::move(front));
  }
  const double guess = 1 - 1 / static_cast<double>(lab.store.model()->size());
  privacy.lines = {{.at = 0, .label = "no noise"}, {.at = guess, .label = "same vector, pure noise"}};
  lab.run.save_figure("privacy", privacy);
  lab.run.save_figure("frontier", frontier);
}

void save_figures(const PrivembLab& lab, const PrivembPoints& points) {
  const PairFigure distance{.name = "figure-1",
                            .title = "Distances of released vectors",
                            .axis = "mean of |w - w'| - |x - x'|",
                            .points = points.pairs.distance};
  const PairFigure inner{.name = "figure-2",
                         .title = "Inner products of released vectors",
                         .axis = "mean of |<w, w'> - <x, x'>|",
                         .points = points.pairs.inner_product};
  if (!distance.points.rows().empty()) {
    for (const std::string& epsilon : lab.plan.pair_epsilons) {
      save_pair_panel(lab, distance, epsilon);
      save_pair_panel(lab, inner, epsilon);
    }
  }
  if (points.words.rows().empty()) return;
  const std::vector<VectorSeries> series = word_task_series(*lab.store.model(), lab.plan);
  save_word_figure(lab, series, points.words,
                   {"figure-3-accuracy", "Linear SVM on the opinion lexicon: accuracy", "accuracy"});
  save_word_figure(lab, series, points.words,
                   {"figure-3-auc", "Linear SVM on the opinion lexicon: AUC", "auc"});
  if (!points.privacy.errors.rows().empty()) save_privacy_figures(lab, series, points.privacy, points.words);
}

}  // namespace sotto::lab
