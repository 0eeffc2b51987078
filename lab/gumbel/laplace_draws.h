#pragma once
#include <memory>
#include <string_view>

#include "mechanisms/gumbel/gumbel_candidates.h"
#include "mechanisms/noise/noise.h"
#include "sotto/mechanism.h"

namespace sotto::lab::gumbel {

// The mechanism `laplace` on a vocabulary of different vectors, for weak noise: the same noise and the same
// words from the same random numbers, found with less work. The word nearest to x + z is at most 2|z| away
// from x, so where all words at such distances are in the head of x, only these are compared. The time of a
// draw depends on the word far more than with `laplace`: this is for experiments, not for a release.
class LaplaceDraws final : public WordMechanism {
 public:
  LaplaceDraws(std::shared_ptr<const Space> space, double epsilon);
  void sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& rng) const override;

  static constexpr std::string_view kMechanism = "laplace";  // whose draws these are
  // Whether the noise is so weak that heads help.
  static bool helps(const Space& space, double epsilon);

 private:
  Candidates heads_;
  NoiseShape shape_;
  double epsilon_;
  NearestWords nearest_;
};

}  // namespace sotto::lab::gumbel
