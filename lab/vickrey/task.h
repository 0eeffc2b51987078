#pragma once
#include "lab/vickrey/privacy.h"
#include "lab/vickrey/texts.h"

namespace sotto::lab::vickrey {

// A data set with a downstream task, in words of one embedding.
// - "imdb": the 50,000 labelled film reviews. Redacted are the words of the counter-fitted list.
// - "twitter": the labelled tweets, about disasters or not. Redacted are the most frequent words of the
//   embedding.
// In both, 90% by chance are to learn from and 10% to test on. Words outside the domain are kept.
struct Task {
  Domain domain;
  Texts train;
  Texts test;
  // As the paper has it, the distribution of the redacted words in the data set itself.
  Prior prior;
};
Task load_task(const Run& run, const TaskSettings& settings, const std::string& vectors,
               const std::shared_ptr<const Model>& embedding);

// Fills privacy.csv, tasks.csv and coverage.csv for one task with one embedding. L is the share of test texts
// that the LSTM gets wrong. `trained_on` clean: it learnt from clear texts and reads redacted ones. redacted:
// it learnt from redacted texts as well. The row of the series kNoRedaction is the clear text.
struct TaskTables {
  Points& privacy;
  Points& tasks;
  Points& coverage;
};
void run_task(const Run& run, const Settings& settings, const TaskSettings& task, const std::string& vectors,
              const TaskTables& tables);

// Adds the rows of tasks.csv with `trained_on` redacted: the first embedding, laplace and every t.
void retrain_task(const Run& run, const Settings& settings, const TaskSettings& task, Points& tasks);

Points::Layout coverage_layout();

}  // namespace sotto::lab::vickrey
