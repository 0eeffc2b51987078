#pragma once
#include <cstddef>
#include <memory>

#include "core/samplers.h"
#include "mechanisms/gumbel/gumbel_candidates.h"
#include "sotto/mechanism.h"

namespace sotto {

struct TruncatedGumbelChoice {
  TruncatedGumbelLaw noise;  // scale b, cut C
  double mean_candidates;    // lambda: the mean of the Poisson variate behind K
};

// The printed scale b = 2 D / min{W0(2 a D), ln(a D0)}, a = (epsilon - 2 (1 + ln n) / D0) / 3, for n words.
// Not above 0 where the formula has no meaning, which is below (5 + 2 ln n) / D0: more than the paper says.
double truncated_gumbel_scale(double epsilon, const Extremes& extremes, std::size_t words);

// The argmin of distance + noise over the first K candidates, as the paper prints it. No two words of the
// space share a row.
class TruncatedGumbel final : public WordMechanism {
 public:
  TruncatedGumbel(std::shared_ptr<const Space> space, const TruncatedGumbelChoice& choice);

  void sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& rng) const override;
  // Empty above kLawWords words, as it takes O(n^2) time, and where the noise is so small beside the largest
  // distance (1,000 words: an epsilon of about 10^13) that the quadrature would take many times as long.
  [[nodiscard]] std::optional<std::vector<double>> log_law(WordId word) const override;
  // Of the quadrature. The noise is drawn in doubles; no claim rests on it.
  [[nodiscard]] double log_law_error() const override { return 1e-9; }
  static constexpr std::size_t kLawWords = 2000;

 private:
  Candidates candidates_;
  CandidateCount count_;
  TruncatedGumbelLaw noise_;
};

}  // namespace sotto
