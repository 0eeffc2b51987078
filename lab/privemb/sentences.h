#pragma once
#include <string>
#include <vector>

#include "lab/points.h"
#include "lab/privemb/plan.h"
#include "lab/privemb/privacy.h"
#include "lab/privemb/senteval.h"

namespace sotto::lab {

// What of a sentence is released.
enum class SentenceRelease {
  table,  // each word once per run, as the paper does: a word's vector is the same wherever it occurs
  token,  // each occurrence of a word: the local model
  sum,    // the sum of the sentence's vectors; its guarantee implies that of `token` at the same epsilon
  mean,   // their mean, which moves by less the longer the sentence is
};
std::string release_name(SentenceRelease release);

// Mean-vector features, row after row; a sentence without known words is the zero vector (for sum and mean,
// a release of it).
std::vector<double> sentence_features(const SentenceWords& words, const Model& model,
                                      const Releaser& releaser, SentenceRelease release, Rng& rng);

struct SentencePoint {
  SentenceRelease release = SentenceRelease::table;
  VectorSeries series = {};
  std::string epsilon = {};
};
// Table 1, with the baselines that it lacks, and `pca`.
std::vector<SentencePoint> table_points(const PrivembLab& lab);
// The other mechanisms, all at the epsilons of equal E_opt, and the releases that the paper lacks.
std::vector<SentencePoint> further_points(const PrivembLab& lab, const PrivacyPoints& privacy);

Points sentence_task_points(const Run& run);
void measure_sentences(const PrivembLab& lab, const std::vector<SentencePoint>& wanted, Points& points);

}  // namespace sotto::lab
