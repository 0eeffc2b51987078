#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "certify/audit.h"
#include "sotto/mechanism.h"

namespace sotto {

// The audit of a mechanism that releases vectors for the words of a model. Where a release y lies is told by
// its distances to the two centres a and b of a pair, D = |a - b|: the lead (|y - b| - |y - a|) / D, from -1
// to 1, and the excess (|y - a| + |y - b|) / D - 1, from 0 on. If the density of the noise depends on |z|
// only, the odds of the two words depend on these two numbers only; for the law of privemb they are e^(lead D
// / scale). Releases are gathered in cells of the two numbers; a cell is an "output" of audit().
class VectorSubject final : public AuditSubject {
 public:
  // Throws Error(usage) if the mechanism does not tell the centres of its noise. `pairs` are of words of the
  // model; references must outlive the subject.
  VectorSubject(const VectorMechanism& vectors, const Model& model, std::span<const AuditPair> pairs,
                RandomSource random);

  // The pairs in the numbers of this subject, each word once for each of its pairs. If the mechanism tells
  // the law of its noise, they have its exact loss, D / VectorMechanism::noise_scale().
  [[nodiscard]] const std::vector<AuditPair>& pairs() const noexcept { return pairs_; }
  std::vector<OutputCounts> count(std::span<const AuditWord> words, std::uint32_t draws,
                                  const Work& work) override;
  // A word of a pair, or a cell: "lead 0.94 to 1, excess 0.5 to 1".
  [[nodiscard]] std::string text(AuditWord word) const override;
  [[nodiscard]] std::size_t words_per_call() const override { return 64; }

 private:
  struct Centres {
    std::vector<double> first;
    std::vector<double> second;
    double distance = 0;
  };
  [[nodiscard]] AuditWord cell_of(std::span<const double> release, const Centres& centres) const;
  [[nodiscard]] WordId word_behind(AuditWord word) const;

  const VectorMechanism& vectors_;
  const Model& model_;
  std::span<const AuditPair> given_;
  std::vector<AuditPair> pairs_;
  std::vector<Centres> centres_;
  RandomSource random_;
  std::uint64_t streams_used_ = 0;
  AuditWord first_number_;
  AuditWord first_cell_;
};

// Of many random pairs of words, the one whose centres are farthest apart for its distance: it betrays noise
// that was made for a smaller stretch. Empty for a model of one word.
std::optional<WordPair> most_stretched_pair(const VectorMechanism& vectors, const Model& model, Rng& rng);

// The smallest factor by which the noise would have to be too small for an audit of this size to notice it in
// one pair of words, about one time in two; up to 64. Empty: not even that would be noticed. In many
// dimensions it is: a release seldom lies in line with the two centres, and only there the loss is large.
struct ShortfallQuestion {
  std::size_t dim = 0;      // of the releases
  double claimed_loss = 0;  // of the pair
  double exact_loss = 0;    // D / scale of the noise as it should be
  double tested_draws = 0;  // fresh draws for each word
  double error = 0;         // of each one-sided bound
};
std::optional<double> detectable_shortfall(const ShortfallQuestion& question);

}  // namespace sotto
