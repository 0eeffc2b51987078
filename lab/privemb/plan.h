#pragma once
#include <functional>
#include <string>
#include <vector>

#include "lab/privemb/series.h"
#include "lab/run.h"

namespace sotto::lab {

// How the experiment's classifiers are trained, for run.json.
inline constexpr std::string_view kPrivembClassifiers = "liblinear -s 0 and -s 2 with bias 1";

// Which points the privemb experiment measures. Numbers are texts: they are names of points too.
struct PrivembPlan {
  std::vector<std::string> pair_epsilons = {};
  std::vector<std::string> lexicon_epsilons = {};
  std::vector<std::string> betas = {};     // of M2 in figures 1 to 3
  std::string table_epsilon = "10";        // table 1
  std::string table_beta = "0.9";          // table 1
  std::vector<std::string> tasks = {};     // table 1
  std::vector<double> error_targets = {};  // E_opt at which mechanisms are compared
  std::size_t runs = 10;                   // of the pairs and the lexicon
  std::size_t trials = 3;                  // of the sentence tasks
  std::size_t folds = 5;
};
PrivembPlan privemb_plan(const RunRequest& request);

// What all parts of the experiment share. The model is that of the store, which figure 4 has four of.
struct PrivembLab {
  const Run& run;
  const PrivembPlan& plan;
  ReleaserStore& store;
};

// Calls job(i) for all i < count on the run's threads, and says now and then how far it is.
void run_jobs(const Run& run, std::string_view what, std::size_t count,
              const std::function<void(std::size_t)>& job);

// Measured values of all trials of a point, in the order of the trials: the rows whose keys but for the last
// are `keys`.
std::vector<double> trial_values(const Points& points, const std::vector<std::string>& keys,
                                 std::string_view column);

}  // namespace sotto::lab
