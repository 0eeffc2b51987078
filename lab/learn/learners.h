#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "lab/learn/tasks.h"
#include "learn/rehearsal.h"
#include "sotto/mechanism.h"

namespace sotto::lab::learning {

// What one learner got on the test texts.
struct Score {
  std::string_view learner;
  std::vector<double> values;  // in the order of points_layout()
};

// What does not depend on a mechanism: features of clean words of one public corpus, and the labels that
// public data alone gives to its texts.
class PublicCorpus {
 public:
  PublicCorpus(const Task& task, std::size_t most, unsigned threads);

  [[nodiscard]] const TokenLists& texts() const noexcept { return texts_; }
  [[nodiscard]] const std::vector<double>& shares() const noexcept { return shares_; }
  [[nodiscard]] const DenseMatrix& features() const noexcept { return features_; }
  // Empty where the task has no public sentences.
  [[nodiscard]] const std::vector<std::uint32_t>& pseudo_labels() const noexcept { return pseudo_labels_; }

  // What learners without a release get: trained on clear text (the ceiling), and on public data only (the
  // floor).
  [[nodiscard]] std::vector<Score> baselines() const;

 private:
  [[nodiscard]] DenseMatrix sentence_scores(const TokenLists& texts) const;

  const Task& task_;
  unsigned threads_;
  TokenLists texts_;
  std::vector<double> shares_;
  DenseMatrix features_;
  std::optional<DirectModel> sentences_;
  std::vector<std::uint32_t> pseudo_labels_;
};

// The ceilings of a task without public text: trained on its clear texts, directly and on the features that
// serve without public text (docs/learning.md).
std::vector<Score> baselines(const Task& task, unsigned threads);

// One mechanism at work: what it makes of the public texts once, then one release after the other.
class Bench {
 public:
  // `corpus` null: the learner gets no public texts. `seed` is that of the noise on public texts.
  Bench(const Task& task, const Mechanism& mechanism, const PublicCorpus* corpus, std::uint64_t seed,
        unsigned threads);
  // Releases the training texts and the test texts, and lets each learner learn.
  [[nodiscard]] std::vector<Score> draw(std::uint64_t seed) const;

 private:
  struct Release;
  void add_lifted(const Release& release, std::vector<Score>& scores) const;

  const Task& task_;
  const Mechanism& mechanism_;
  const PublicCorpus* corpus_;
  unsigned threads_;
  PublicTexts public_texts_ = {};
  SpacesByFeatures spaces_ = {};
  std::optional<TextModel> public_only_ = {};
};

}  // namespace sotto::lab::learning
