// Figures 1 to 3 of vickrey-2021 (docs/results/vickrey.md).
#include "lab/experiments.h"
#include "lab/vickrey/products.h"
#include "lab/vickrey/report.h"
#include "lab/vickrey/task.h"

namespace sotto::lab {

namespace vickrey {

namespace {

void run_products(const Run& run, const Settings& settings, const std::string& vectors, Points& privacy) {
  const Subject subject = product_words(run, vectors);
  measure_privacy(
      run, subject,
      {.groups = groups(Curves::all), .epsilons = settings.product_epsilons, .draws = settings.product_draws},
      privacy);
  const Group laplace{.series = {groups(Curves::figure2).front().series.front()}};
  measure_privacy(
      run, subject,
      {.groups = {laplace}, .epsilons = settings.laplace_epsilons, .draws = settings.product_draws}, privacy);
}

}  // namespace

void run_experiment(const RunRequest& request, const Settings& settings) {
  const Run run(request, "vickrey", record_of(settings));
  Points privacy = run.points("privacy", privacy_layout());
  Points tasks = run.points("tasks", tasks_layout());
  Points coverage = run.points("coverage", coverage_layout());
  Points choices = run.points("choices", choices_layout());
  const Tables tables{.privacy = privacy, .tasks = tasks, .coverage = coverage, .choices = choices};
  if (request.has_part(kFigure1)) draw_figure1(run);
  // One embedding after the other, so that the first of them is soon complete.
  for (const std::string& vectors : settings.vectors) {
    if (request.has_part(kProducts)) run_products(run, settings, vectors, privacy);
    for (const TaskSettings& task : settings.tasks) {
      report(run, settings, tables);
      if (!request.has_part(task.name)) continue;
      run_task(run, settings, task, vectors, {.privacy = privacy, .tasks = tasks, .coverage = coverage});
    }
    const bool is_first = vectors == settings.vectors.front();
    if (is_first && request.has_part(kChoices)) choose_as_printed(run, settings, choices);
    report(run, settings, tables);
  }
  // Last, because it takes longest.
  for (const TaskSettings& task : settings.tasks) {
    if (request.has_part(task.name)) retrain_task(run, settings, task, tasks);
    report(run, settings, tables);
  }
}

}  // namespace vickrey

void run_vickrey(const RunRequest& request) {
  vickrey::run_experiment(request, vickrey::settings_of(request));
}

}  // namespace sotto::lab
