#pragma once
#include <cstdint>
#include <map>
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

struct RehearsalQuestion {
  // Of the public texts: true ones, or those that drawn_labels() gives with a classifier that was fitted on
  // the release.
  TextLabels labels = {};
  std::span<const LearnSettings> settings = {};
  // Learn from at most so many texts; 0: from half of all. With the number of private texts the rehearsal is
  // like the real thing: more texts would prefer weaker penalties.
  std::size_t most_trained = 0;
};

// Rows with one smoothing cost one decomposition and one lift.
Rehearsal rehearse(const Mechanism& mechanism, const PublicTexts& texts, WordId anchor,
                   const RehearsalQuestion& question, const LiftQuestion& lift, const Work& work);
// The same where several rehearsals share their spaces, which depend on public text alone: one for each
// number of features that the settings name, calibrated on `texts`. All settings have the smoothing of the
// spaces.
using SpacesByFeatures = std::map<std::size_t, TextSpace>;
Rehearsal rehearse(const SpacesByFeatures& spaces, const PublicTexts& texts,
                   const RehearsalQuestion& question, unsigned threads);

// A label for each text, drawn with the probabilities that belong to the scores; the same at every call. The
// most likely labels would be told without error by the very features that are tried, and the rehearsal would
// prefer penalties that are too weak for real labels.
std::vector<std::uint32_t> drawn_labels(const DenseMatrix& scores);

// What is tried if nothing is said: 50, 100 and 200 features with penalties 1e-4, 1e-3 and 1e-2; the defaults
// first, so that they win a tie.
std::vector<LearnSettings> usual_settings();

}  // namespace sotto
