#include <fmt/format.h>

#include "lab/experiments.h"
#include "lab/privemb/figure4.h"
#include "lab/privemb/report.h"

namespace sotto::lab {

namespace {

void measure_beyond(const PrivembLab& lab, PrivembPoints& points) {
  const Model& model = *lab.store.model();
  const std::vector<VectorSeries> compared = compared_series(model, lab.plan);
  measure_privacy(lab, word_task_series(model, lab.plan), compared, points.privacy);
  std::vector<WordTaskPoint> equal;
  for (const double target : lab.plan.error_targets) {
    for (const WordTaskPoint& point : equal_points(compared, points.privacy, target)) equal.push_back(point);
  }
  measure_word_task(lab, equal, points.words);
}

void run_on_one_model(const RunRequest& request) {
  const PrivembPlan plan = privemb_plan(request);
  const Run run(request, "privemb",
                {{"folds", std::to_string(plan.folds)},
                 {"classifiers", std::string(kPrivembClassifiers)},
                 {"delta", "1e-6"}});
  ReleaserStore store(run.model());
  const PrivembLab lab{.run = run, .plan = plan, .store = store};
  PrivembPoints points{.pairs = pair_points(run),
                       .privacy = privacy_points(run),
                       .words = word_task_points(run),
                       .sentences = sentence_task_points(run)};
  const auto save = [&] {  // after each part: a run that is stopped has what it has
    save_figures(lab, points);
    save_tables(lab, points);
  };
  if (request.has_part("pairs")) measure_pairs(lab, points.pairs);
  if (request.has_part("lexicon")) {
    measure_word_task(lab, word_task_grid(word_task_series(*run.model(), plan), plan), points.words);
  }
  save();
  if (request.has_part("table1")) measure_sentences(lab, table_points(lab), points.sentences);
  save();
  if (!request.has_part("beyond")) return;
  measure_beyond(lab, points);
  save();
  measure_sentences(lab, further_points(lab, points.privacy), points.sentences);
  save();
}

}  // namespace

void run_privemb(const RunRequest& request) {
  const bool is_figure4_alone = request.parts.size() == 1 && request.parts.front() == "figure4";
  if (!is_figure4_alone) run_on_one_model(request);
  if (!request.has_part("figure4")) return;
  if (request.parts.empty() && !has_fasttext()) {
    tell("figure 4 is left out: there is no program fasttext here (`make lab` installs it)");
    return;
  }
  run_figure4(request);
}

}  // namespace sotto::lab
