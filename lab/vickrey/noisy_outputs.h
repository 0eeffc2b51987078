#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "lab/vickrey/settings.h"
#include "mechanisms/noise/noise.h"
#include "sotto/rng.h"

namespace sotto::lab::vickrey {

// What several rules write for the same noisy vectors: one search serves all curves of a noise, and their
// differences are not blurred by the noise. Each curve alone has the law of its mechanism: laplace,
// mahalanobis, vickrey.
class NoisyOutputs {
 public:
  NoisyOutputs(const std::shared_ptr<const Model>& model, const Group& group, double epsilon);

  // Element [s][i] is what the series s writes for in[i]. A block of words has random streams of its own, so
  // the number of threads does not matter. The words that laplace and mahalanobis write are those of their
  // sample_batch() with the same stream.
  [[nodiscard]] std::vector<std::vector<WordId>> draw(std::span<const WordId> in, const RandomSource& random,
                                                      unsigned threads) const;
  // The guarantee per unit of Euclidean distance, of every rule whose input is a candidate.
  [[nodiscard]] double certified_epsilon() const { return certified_; }

 private:
  [[nodiscard]] WordId choose(const Rule& rule, WordId in, std::span<const Neighbour> nearest,
                              Rng& coins) const;

  std::vector<Series> series_;
  std::size_t looked_at_ = 1;
  double certified_;
  NoisySearch search_;
};

}  // namespace sotto::lab::vickrey
