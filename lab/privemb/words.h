#pragma once
#include <vector>

#include "lab/points.h"
#include "lab/privemb/lexicon.h"
#include "lab/privemb/plan.h"

namespace sotto::lab {

// Accuracy and area under the curve of a linear SVM that tells positive words from negative ones.
struct WordTaskResult {
  double accuracy = 0;
  double area = 0;
  double train_accuracy = 0;
};
// One run: as many words of one class as of the other, each released once, a fifth of them for testing.
WordTaskResult run_word_task(const Lexicon& lexicon, const Model& model, const Releaser& releaser, Rng& rng);

// Experiment 3, and the same at the epsilons of equal E_opt.
struct WordTaskPoint {
  VectorSeries series;
  std::string epsilon;
};
std::vector<VectorSeries> word_task_series(const Model& model, const PrivembPlan& plan);
// The series at all epsilons of experiment 3, those without noise at the first of them only.
std::vector<WordTaskPoint> word_task_grid(const std::vector<VectorSeries>& series, const PrivembPlan& plan);
Points word_task_points(const Run& run);
// Those of `given` that are not there yet.
void measure_word_task(const PrivembLab& lab, const std::vector<WordTaskPoint>& given, Points& points);

}  // namespace sotto::lab
