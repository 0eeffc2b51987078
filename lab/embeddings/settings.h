#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lab/gumbel/settings.h"
#include "lab/points.h"
#include "lab/run.h"
#include "sotto/parameters.h"

// The lab's experiment about embeddings: the same words with the vectors of several embeddings (and another
// metric), and vectors that were fine-tuned on private text.
namespace sotto::lab::embeddings {

// What `--part` names, in the order in which the parts run.
inline constexpr std::string_view kLaws = "laws";
inline constexpr std::string_view kReviews = "reviews";
inline constexpr std::string_view kAdaptation = "adaptation";

// The words that all embeddings of a group have, in the order of the first embedding. The embeddings are
// those of spaces.h.
struct Group {
  std::string name;
  std::vector<std::string> embeddings;
};

// One mechanism at several strengths (gumbel::Curve says what a strength is).
struct Curve {
  gumbel::Curve places;
  ParameterTexts parameters = {};  // without epsilon and metric
  bool takes_metric = false;       // it is measured in other metrics than the Euclidean one too
};

// What the levels of part `reviews` are levels of.
inline constexpr std::string_view kByError = "e_opt";          // of the best attacker on one word
inline constexpr std::string_view kByLoss = "certified_loss";  // Lmax: of one word over all pairs

struct Settings {
  std::vector<Group> groups;
  std::vector<std::string> metrics;  // others than the Euclidean one, on the first embedding of each group
  std::vector<Curve> curves;
  std::size_t curve_words;  // words whose N_w and S_w are measured
  std::size_t draws;        // for E_opt, where there is no closed law
  // Parts `reviews` (the first group) and `adaptation`: tem at equal E_opt and, in `reviews`, at equal Lmax.
  std::vector<double> errors;
  std::vector<double> losses;
  std::size_t half;  // most reviews of each half
  std::size_t epochs;
  std::size_t batch;
  std::size_t trials;
  std::size_t adaptation_words;  // the domain of part `adaptation`: the most frequent words of the model
};
Settings settings_of(const RunRequest& request);
// For run.json.
Run::Settings record_of(const Settings& settings);

// The experiment with settings other than those of the program, for tests.
void run_experiment(const RunRequest& request, const Settings& settings);

// spaces.csv: the sizes of each space. laws.csv: one line for each place of each curve on each space.
Points::Layout spaces_layout();
Points::Layout laws_layout();
// levels.csv: the epsilon at which tem has a level. accuracy.csv: classifiers at that epsilon, by trial.
Points::Layout levels_layout();
Points::Layout accuracy_layout();
// adaptation.csv: the same with vectors fine-tuned on private text. betrayal.csv: what an observer learns
// about the private text, by trial.
Points::Layout adaptation_layout();
Points::Layout betrayal_layout();

}  // namespace sotto::lab::embeddings
