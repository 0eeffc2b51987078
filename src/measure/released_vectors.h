#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sotto/labels.h"
#include "sotto/mechanism.h"
#include "sotto/prior.h"
#include "sotto/rng.h"
#include "sotto/work.h"

namespace sotto {

// The words of a model as vectors that are released for them. The density of a release y of word w is
// proportional to exp(-|y - centre of w| / scale).
struct ReleasedWords {
  std::size_t dim = 0;
  std::vector<double> centres = {};  // one row of `dim` a word of the model
  double scale = 0;
  std::function<void(WordId word, std::span<double> out, Rng& rng)> release = {};
};
// Throws Error(usage) if the mechanism does not tell its centres and its noise. The mechanism and the model
// must outlive the result.
ReleasedWords released_words(const VectorMechanism& vectors, const Model& model, unsigned threads);

// What the attacker does with the releases of one drawn word.
struct VectorGuess {
  WordId word = {};
  double best = 0;  // probability that the likeliest word is wrong, given the releases: 1 - max posterior
  double posterior = 0;  // the same for a guess drawn from the posterior: 1 - sum of squares
  double nearest = 0;    // 1 if the word whose centre is nearest to the release is another one
  double label = 0;      // 1 - the posterior of the likeliest label; 0 without labels
};

// An attacker who knows the projection, the law of the noise and the prior, and sees one released vector, or
// several of the same word. Words are drawn from the prior and released by the mechanism itself; the
// posterior over all words is exact, so the means are unbiased estimates of the attacker's errors. (If the
// releases are rounded to a coarse grid, the attacker takes the grid point for the vector, and is not quite
// the best.)
class VectorAttacker {
 public:
  // References must outlive the object. `labels`, if given, are those of every word that the prior holds
  // possible.
  VectorAttacker(const ReleasedWords& released, const Prior& prior, const Labels* labels = nullptr);

  struct Draws {
    std::size_t count = 0;
    std::size_t copies = 1;  // releases of each word
    std::uint64_t first_stream = 0;
  };
  // guesses[l][i]: of draw i, when 2^l of its releases are seen; up to `copies` of them. `nearest` is judged
  // by the first release.
  [[nodiscard]] std::vector<std::vector<VectorGuess>> guess(const Draws& draws, const RandomSource& random,
                                                            const Work& work) const;

 private:
  void add_scores(std::span<const double> release, std::span<double> scores) const;
  [[nodiscard]] VectorGuess judge(WordId word, std::span<const double> scores) const;
  [[nodiscard]] std::size_t nearest(std::span<const double> scores) const;

  const ReleasedWords& released_;
  const Prior& prior_;
  const Labels* labels_;
  std::vector<double> sums_;  // of the prior, over its support
  std::vector<double> logs_;
};

}  // namespace sotto
