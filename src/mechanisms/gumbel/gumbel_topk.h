#pragma once
#include <memory>

#include "mechanisms/gumbel/gumbel_candidates.h"
#include "sotto/mechanism.h"

namespace sotto {

struct GumbelTopkLaw {
  double scale;            // b of the Gumbel noise
  double mean_candidates;  // lambda: the mean of the Poisson variate behind K
};

// P(u|w) = sum over k >= rank of u from w of P(K = k) exp(-d(w,u)/b) / Z_k(w), Z_k the sum over the first k
// candidates. No two words of the space share a row.
class GumbelTopk final : public WordMechanism {
 public:
  GumbelTopk(std::shared_ptr<const Space> space, const GumbelTopkLaw& law);

  void sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& rng) const override;
  [[nodiscard]] std::optional<std::vector<double>> log_law(WordId word) const override;
  [[nodiscard]] double log_law_error() const override { return 2 * rounding_bound(); }
  // Bound on |ln P~ - ln P| between the law that the program draws from and the one above.
  [[nodiscard]] double rounding_bound() const;

 private:
  // d / b, cut where the weight would leave the range of a double.
  [[nodiscard]] double exponent(double distance) const;

  Candidates candidates_;
  CandidateCount count_;
  double scale_;
};

}  // namespace sotto
