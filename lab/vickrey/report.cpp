#include "lab/vickrey/report.h"

#include <fmt/format.h>

#include <cmath>

#include "lab/vickrey/results.h"
#include "lab/vickrey/tables.h"
#include "sotto/parameters.h"

namespace sotto::lab::vickrey {

namespace {

struct Figure {
  std::string name;   // of the file
  std::string title;  // without data and vectors
  std::vector<std::string> series;
};

std::string heading(const Results& results) {
  return fmt::format("{}, {}", results.data(), results.vectors());
}

// E_opt against epsilon: points are upper ends, bars reach down to the lower ends.
void draw_error(const Run& run, const Results& results, const Figure& figure) {
  html::Plot plot{
      .title = fmt::format("{}: {}", heading(results), figure.title),
      .caption = "E_opt: points are the upper ends of 95% brackets, bars reach to the lower ends.",
      .x = {.label = "epsilon", .scale = html::Axis::Scale::logarithmic},
      .y = {.label = "E_opt, error of the best guess", .from = 0, .to = 1}};
  for (const std::string& name : figure.series) {
    html::Series series{.name = name};
    for (const Result& result : results.curve(name)) {
      series.points.push_back(
          {.x = result.epsilon, .y = result.error.high, .low = result.error.low, .high = result.error.high});
    }
    if (!series.points.empty()) plot.series.push_back(std::move(series));
  }
  if (!plot.series.empty()) run.save_figure(figure.name, plot);
}

void draw_frontier(const Run& run, const Results& results, const Figure& figure) {
  html::Plot plot{
      .title = fmt::format("{}: {}", heading(results), figure.title),
      .caption = "E_opt: points are the upper ends of 95% brackets, bars reach to the lower ends.",
      .x = {.label = results.data() == "products" ? "L, share of words with another polarity"
                                                  : "L, share of texts classified wrongly"},
      .y = {.label = "E_opt, error of the best guess", .from = 0, .to = 1}};
  for (const std::string& name : figure.series) {
    html::Series series{.name = name};
    for (const Result& result : results.curve(name)) {
      if (std::isnan(result.loss.value)) continue;
      series.points.push_back({.x = result.loss.value,
                               .y = result.error.high,
                               .low = result.error.low,
                               .high = result.error.high});
    }
    if (!series.points.empty()) plot.series.push_back(std::move(series));
  }
  if (!plot.series.empty()) run.save_figure(figure.name, plot);
}

// E_M of eq. 4: points are plug-ins from 4N draws, bars the interval of the true value.
void draw_posterior(const Run& run, const Results& results, const Figure& figure) {
  html::Plot plot{.title = fmt::format("{}: {}", heading(results), figure.title),
                  .caption =
                      "E_M of eq. 4: points are plug-ins, which are biased low; bars are the interval of "
                      "the true value.",
                  .x = {.label = "epsilon", .scale = html::Axis::Scale::logarithmic},
                  .y = {.label = "E_M, error of a guess drawn from the posterior", .from = 0, .to = 1}};
  for (const std::string& name : figure.series) {
    html::Series series{.name = name};
    for (const Result& result : results.curve(name)) {
      series.points.push_back({.x = result.epsilon,
                               .y = result.posterior.value,
                               .low = result.posterior.interval.low,
                               .high = result.posterior.interval.high});
    }
    if (!series.points.empty()) plot.series.push_back(std::move(series));
  }
  if (!plot.series.empty()) run.save_figure(figure.name, plot);
}

// L of a task against epsilon, by what the model was trained on.
void draw_retrained(const Run& run, const Settings& settings, const Results& results) {
  html::Plot plot{.title = fmt::format("{}: trained on clear or on redacted texts", heading(results)),
                  .caption = "Bars are 95% intervals over the test texts.",
                  .x = {.label = "epsilon", .scale = html::Axis::Scale::logarithmic},
                  .y = {.label = "L, share of texts classified wrongly", .from = 0}};
  bool has_retrained = false;
  for (const char* trained_on : {kClean, kRedacted}) {
    for (const std::string& name : {std::string("laplace"), series_of_t(0.5), series_of_t(1)}) {
      html::Series series{.name = fmt::format("{}, {}", name, trained_on)};
      for (const double epsilon : settings.task_epsilons) {
        const auto loss = results.task_loss(trained_on, name, number_text(epsilon));
        if (!loss) continue;
        series.points.push_back(
            {.x = epsilon, .y = loss->value, .low = loss->interval.low, .high = loss->interval.high});
      }
      has_retrained |= trained_on == kRedacted && !series.points.empty();
      if (!series.points.empty()) plot.series.push_back(std::move(series));
    }
  }
  if (has_retrained) run.save_figure(fmt::format("{}-{}-retrained", results.data(), results.vectors()), plot);
}

}  // namespace

void report(const Run& run, const Settings& settings, const Tables& tables) {
  std::string text = coverage_table(tables);
  std::vector<std::string> names = {"products"};
  for (const TaskSettings& task : settings.tasks) names.push_back(task.name);
  for (const std::string& data : names) {
    for (const std::string& vectors : settings.vectors) {
      const Results results(tables, data, vectors);
      const std::string stem = fmt::format("{}-{}", data, vectors);
      const std::vector<std::string> curves = figure2_series();
      draw_error(run, results, {.name = stem + "-error", .title = "error against epsilon", .series = curves});
      draw_frontier(run, results,
                    {.name = stem + "-frontier", .title = "error against utility loss", .series = curves});
      draw_posterior(run, results,
                     {.name = stem + "-posterior", .title = "E_M against epsilon", .series = curves});
      if (data == "products") {
        draw_error(run, results,
                   {.name = stem + "-figure3-error",
                    .title = "always the neighbour of that rank",
                    .series = figure3_series()});
        draw_frontier(run, results,
                      {.name = stem + "-figure3-frontier",
                       .title = "always the neighbour of that rank",
                       .series = figure3_series()});
        std::vector<std::string> printed;
        for (const double t : {0.25, 0.5, 0.75, 1.0}) printed.push_back(as_printed(series_of_t(t)));
        draw_error(run, results,
                   {.name = stem + "-as-printed-error",
                    .title = "the input never comes out (not private)",
                    .series = printed});
      } else {
        draw_retrained(run, settings, results);
      }
      text += result_tables(settings, results);
    }
  }
  run.save_text("tables.md", text + choices_table(tables));
}

}  // namespace sotto::lab::vickrey
