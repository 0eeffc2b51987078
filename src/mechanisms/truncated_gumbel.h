#pragma once
#include <memory>

#include "core/samplers.h"
#include "mechanisms/gumbel_candidates.h"
#include "sotto/mechanism.h"

namespace sotto {

struct TruncatedGumbelChoice {
  TruncatedGumbelLaw noise;  // scale b, cut C
  double mean_candidates;    // lambda: the mean of the Poisson variate behind K
};

// The argmin of distance + noise over the first K candidates, as the paper prints it. No two words of the
// space share a row.
class TruncatedGumbel final : public WordMechanism {
 public:
  TruncatedGumbel(std::shared_ptr<const Space> space, const TruncatedGumbelChoice& choice);

  void sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& rng) const override;
  // Empty above kLawWords words: it takes O(n^2) time.
  [[nodiscard]] std::optional<std::vector<double>> log_law(WordId word) const override;
  static constexpr std::size_t kLawWords = 2000;

 private:
  Candidates candidates_;
  CandidateCount count_;
  TruncatedGumbelLaw noise_;
};

}  // namespace sotto
