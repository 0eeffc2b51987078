#include "lab/embeddings/figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/points.h"
#include "lab/statistics.h"

namespace sotto::lab::embeddings {

namespace {

constexpr const char* kError = "E_opt, error of the best guess";
constexpr const char* kFlipped = "opinion words that take the other polarity";
constexpr html::Axis::Scale kLog = html::Axis::Scale::logarithmic;
constexpr html::Axis::Scale kLinear = html::Axis::Scale::linear;

// One curve for each space of a group.
struct FigurePlan {
  const char* file;
  const char* mechanism;
  const char* title;
  const char* x_column;
  const char* x_label;
  html::Axis::Scale x_scale;
  const char* y_column;
  const char* y_label;
  html::Axis::Scale y_scale = html::Axis::Scale::linear;
};
constexpr FigurePlan kFigures[] = {
    {"eopt-epsilon", "tem", "tem: E_opt at equal nominal epsilon", "epsilon",
     "nominal epsilon (per unit of the metric)", kLog, "e_opt", kError},
    {"eopt-loss", "tem", "tem: E_opt at equal certified loss", "certified_loss",
     "certified loss of one word over all pairs (nats)", kLog, "e_opt", kError},
    {"polarity-eopt", "tem", "tem: polarity at equal E_opt", "e_opt", kError, kLinear, "flipped", kFlipped},
    {"polarity-eopt-laplace", "laplace", "laplace: polarity at equal E_opt", "e_opt", kError, kLinear,
     "flipped", kFlipped},
    {"range", "tem", "tem: S_w against N_w", "n_w", "N_w: probability that a word stays", kLinear, "s_w",
     "S_w: different words in 1,000 draws", kLog},
};

void draw_laws(const Run& run, const LawResults& results, const std::string& group) {
  for (const FigurePlan& plan : kFigures) {
    html::Plot plot{.title = plan.title,
                    .caption = "The same words in each space; rank prior. Exact for tem.",
                    .x = {.label = plan.x_label, .scale = plan.x_scale},
                    .y = {.label = plan.y_label, .scale = plan.y_scale}};
    for (const std::string& space : results.spaces_of(group)) {
      const LawResults::Curve* curve = results.find(group, space, plan.mechanism);
      if (curve == nullptr) continue;
      html::Series series{.name = space};
      for (const CurvePoint& point : results.line(*curve, plan.x_column, plan.y_column)) {
        series.points.push_back({.x = point.x, .y = point.y});
      }
      plot.series.push_back(std::move(series));
    }
    if (!plot.series.empty()) run.save_figure(fmt::format("{}-{}", group, plan.file), plot);
  }
}

// Means over the trials of the rows with these first keys.
html::Point mean_point(double x, const Points& points, const std::vector<std::string>& first,
                       std::string_view column) {
  std::vector<double> values;
  for (const Points::Row& row : points.rows()) {
    if (std::ranges::equal(first, std::span(row.keys).first(first.size()))) {
      values.push_back(row.values[points.value(column)]);
    }
  }
  const TrialMean mean = trial_mean(values);
  return {
      .x = values.empty() ? kNone : x, .y = mean.mean, .low = mean.interval.low, .high = mean.interval.high};
}

// `key`: what the series are; the level is the key after it.
void draw_accuracy(const Run& run, const Settings& settings, const Points& adaptation) {
  html::Plot plot{.title = "Vectors fine-tuned on private text: accuracy at equal E_opt",
                  .caption = "IMDB reviews, tem; means with 95% intervals over the trials.",
                  .x = {.label = kError},
                  .y = {.label = "accuracy at the median score"}};
  std::vector<std::string> names;
  for (const Points::Row& row : adaptation.rows()) {
    if (std::ranges::find(names, row.keys[0]) == names.end()) names.push_back(row.keys[0]);
  }
  for (const std::string& name : names) {
    html::Series series{.name = "vectors: " + name};
    for (const double level : settings.errors) {
      series.points.push_back(mean_point(level, adaptation, {name, number_text(level)}, "accuracy_median"));
    }
    plot.series.push_back(std::move(series));
  }
  if (!plot.series.empty()) run.save_figure("adaptation", plot);
}

}  // namespace

void draw_figures(const Run& run, const Settings& settings, const LawResults& results, const Tables& tables) {
  for (const Group& group : settings.groups) draw_laws(run, results, group.name);
  draw_accuracy(run, settings, tables.adaptation);
}

}  // namespace sotto::lab::embeddings
