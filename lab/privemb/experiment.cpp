#include <fmt/format.h>

#include "lab/experiments.h"
#include "lab/privemb/report.h"

namespace sotto::lab {

void run_privemb(const RunRequest& request) {
  const PrivembPlan plan = privemb_plan(request);
  const Run run(request, "privemb",
                {{"folds", std::to_string(plan.folds)},
                 {"classifiers", "liblinear -s 0 and -s 2 with bias 1"},
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
  measure_pairs(lab, points.pairs);
  measure_word_task(lab, {}, points.words);
  measure_sentences(lab, table_points(lab), points.sentences);
  save();
  measure_privacy(lab, points.privacy);
  std::vector<WordTaskPoint> equal;
  for (const double target : plan.error_targets) {
    for (const WordTaskPoint& point : equal_points(lab, points.privacy, target)) equal.push_back(point);
  }
  measure_word_task(lab, equal, points.words);
  save();
  measure_sentences(lab, further_points(lab, points.privacy), points.sentences);
  save();
}

}  // namespace sotto::lab
