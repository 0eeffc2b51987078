#pragma once
#include <optional>

#include "lab/run.h"
#include "lab/vickrey/settings.h"
#include "sotto/labels.h"
#include "sotto/prior.h"

namespace sotto::lab::vickrey {

// A vocabulary whose words are redacted, and what the attacker knows of them beforehand.
struct Subject {
  std::string data;     // "products"
  std::string vectors;  // name of the embedding
  std::shared_ptr<const Model> model;
  Prior prior;
  std::optional<Labels> labels = {};  // of Product Reviews: polarity
};

struct PrivacyPlan {
  std::vector<Group> groups;
  std::vector<double> epsilons;
  std::size_t draws = 0;  // N; 4N are drawn
};

// Fills privacy.csv: for each series at each epsilon, from 4N draws of a word and its output,
// - E_opt as an interval (both ends at 95%),
// - E_M of eq. 4: its plug-in from the first N draws and from all, and an interval for the true value,
// - with labels: L of eq. 2, the share of words whose label changes, and the interval of the best guess of
//   the label.
// Privacy depends on mechanism, vocabulary and prior only, so each is computed once whatever the task.
void measure_privacy(const Run& run, const Subject& subject, const PrivacyPlan& plan, Points& privacy);

}  // namespace sotto::lab::vickrey
