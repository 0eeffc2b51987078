#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/learn/learners.h"
#include "lab/learn/tasks.h"
#include "lab/run.h"

namespace sotto::lab::learning {

// The domain of the reviews with public scores of words as further coordinates, made by the code of
// `sotto model extend`. Only public data enter.
// - Scores::lexicon: the opinion lexicon (+1, -1) with weight 6.
// - Scores::three: also the weights of words in a classifier of the public film sentences (weight 8), and in
//   one of the public reviews with the labels that public data give them (weight 6).
struct TaskMetric {
  std::shared_ptr<const Model> model;
  // Rows of given-away.csv without series and epsilon: the sign of each score, and the other words. Empty if
  // no epsilon was given.
  std::vector<Points::Row> given_away;
};
// `epsilon`: measure what `tem` gives away there. `scores` is not `none`.
TaskMetric task_metric(const Run& run, const Task& task, const PublicCorpus& corpus, Scores scores,
                       std::optional<double> epsilon);

}  // namespace sotto::lab::learning
