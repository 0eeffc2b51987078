#include "lab/privemb/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "core/parallel.h"
#include "lab/privemb/senteval.h"

namespace sotto::lab {

PrivembPlan privemb_plan(const RunRequest& request) {
  PrivembPlan plan{.pair_epsilons = {"1", "2", "5"},
                   .lexicon_epsilons = {"1", "2", "5", "10", "15", "20"},
                   .betas = {"0.5", "0.6", "0.7", "0.9"},
                   .tasks = sentence_task_names(),
                   .error_targets = {0.5, 0.9}};
  if (request.extent == Extent::quick) {
    plan.lexicon_epsilons = {"5", "10", "20"};
    plan.betas = {"0.7", "0.9"};
    plan.tasks = {"CR", "TREC-6"};
    plan.error_targets = {0.5};
    plan.runs = 3;
    plan.trials = 1;
    plan.folds = 3;
  }
  if (request.trials != 0) {
    plan.runs = request.trials;
    plan.trials = request.trials;
  }
  if (request.folds != 0) plan.folds = request.folds;
  return plan;
}

void run_jobs(const Run& run, std::string_view what, std::size_t count,
              const std::function<void(std::size_t)>& job) {
  constexpr std::size_t kReports = 10;
  std::atomic<std::size_t> done = 0;
  parallel_blocks(count, 1, run.threads(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      job(i);
      const std::size_t now = ++done;
      if (now * kReports / count != (now - 1) * kReports / count) {
        tell(fmt::format("{}: {} of {} points", what, now, count));
      }
    }
  });
}

std::vector<double> trial_values(const Points& points, const std::vector<std::string>& keys,
                                 std::string_view column) {
  const std::size_t at = points.value(column);
  std::vector<std::pair<std::string, double>> found;
  for (const Points::Row& row : points.rows()) {
    if (row.keys.size() == keys.size() + 1 && std::equal(keys.begin(), keys.end(), row.keys.begin())) {
      found.emplace_back(row.keys.back(), row.values[at]);
    }
  }
  std::ranges::sort(found);  // threads finish in any order
  std::vector<double> values;
  values.reserve(found.size());
  for (const auto& [trial, value] : found) values.push_back(value);
  return values;
}

}  // namespace sotto::lab
