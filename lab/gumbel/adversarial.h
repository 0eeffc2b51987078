#pragma once
#include <string>
#include <vector>

#include "lab/gumbel/law.h"
#include "lab/gumbel/settings.h"
#include "lab/gumbel/training.h"

namespace sotto::lab::gumbel {

// A mechanism at one strength. `strength` is its name in CSV files: the number of its column, or "as 14" for
// the strength at which N_w is that of truncated-gumbel at ln epsilon 14.
struct Noise {
  std::string mechanism;
  std::string strength;
  std::string epsilon;
  bool trained;  // a model is trained on its private copies; otherwise the noise only attacks
};
// The columns of the parts that the request asks for, on one domain. A comparison at equal N_w reads its
// epsilon off the curve of figure 1; a target outside the curve is left out, and said.
std::vector<Noise> noises_of(const RunRequest& request, const Settings& settings, const TaskSizes& task,
                             const Domain& domain, const Points& deniability);

// Four private copies of every text, beside the texts themselves. Premises and labels stay.
struct Augmented {
  Examples examples;
  double unchanged = 0;  // share of the words of the copies that came out as they went in
};
Augmented with_private_copies(const Examples& examples, const WordMechanism& mechanism, std::size_t copies,
                              std::uint64_t seed);

// models.csv: a row for each trained model: clean and certified accuracy and membership inference.
// attacks.csv: a row for each model under attack by a mechanism, with eight draws of a mutation and with one.
// Seconds are processor time.
struct AdversarialTables {
  Points& models;
  Points& attacks;
};
Points::Layout models_layout();
Points::Layout attacks_layout();
// Trains every model and attacks it; rows that are there are not computed again. The weights are kept beside
// the tables. Models are independent, and run.threads() of them are under way at a time.
void measure_adversarial(const Run& run, const Settings& settings, const std::vector<Domain>& domains,
                         const Points& deniability, AdversarialTables tables);

}  // namespace sotto::lab::gumbel
