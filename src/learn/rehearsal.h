#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "learn/learner.h"

namespace sotto {

// A trial of settings on public text alone: half of the public texts are privatised and learnt from, the
// other half is tested on. Settings are chosen here and never by cross-validation on the private text, whose
// labels and noise are too few to tell settings apart.
struct RehearsalRow {
  LearnSettings settings;
  double clean = 0;     // accuracy on clear texts
  double released = 0;  // on private texts
};
struct Rehearsal {
  std::vector<RehearsalRow> rows;  // in the order of the question
  std::size_t best = 0;            // the row with the largest `clean`, the first of equal ones
  RehearsalRow direct = {};        // of what the papers do; its settings mean nothing
  double majority = 0;             // the share of the most frequent class among the tested texts
  std::size_t trained = 0;         // texts
  std::size_t tested = 0;
};

// `labels` of the public texts; true ones, or those of a classifier that was fitted on the release. Rows with
// one smoothing cost one decomposition and one lift.
Rehearsal rehearse(const Mechanism& mechanism, const PublicTexts& texts, WordId anchor,
                   const TextLabels& labels, std::span<const LearnSettings> settings,
                   const LiftQuestion& lift, const Work& work);

// What is tried if nothing is said: 50, 100 and 200 features with penalties 1e-4, 1e-3 and 1e-2; the defaults
// first, so that they win a tie.
std::vector<LearnSettings> usual_settings();

}  // namespace sotto
