#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "learn/dense.h"
#include "sotto/mechanism.h"
#include "sotto/prior.h"
#include "sotto/work.h"

namespace sotto {

// How features of words are lifted.
struct LiftQuestion {
  std::size_t draws = 0;                               // where only draws are known; 0: kLiftDraws
  bool by_draws = false;                               // use draws only, also where the law is known
  std::optional<std::uint64_t> seed_not_private = {};  // of these draws, which are of public words only
};
inline constexpr std::size_t kLiftDraws = 2'000'000;

// The expected features of the input word, given the output word.
struct Lifted {
  DenseMatrix features;                // a row for each word of the model, as an output
  std::vector<double> output_weights;  // P(output), under the prior
  std::size_t impossible = 0;          // outputs of probability 0; by draws: those that were never drawn
  std::size_t draws = 0;               // 0: exact
  // By draws: the standard error of a lifted feature, divided by the standard deviation of that feature over
  // the prior; the root of the mean square over features and over outputs with their probabilities.
  std::optional<double> error = {};
};

// G = P' diag(q) E / (P' q): row o is the mean of the rows of `features` over the input words, given the
// output word o. P is the law of the mechanism and q the prior. This is post-processing of outputs: it costs
// no privacy. An output of probability 0 gets the mean over the prior.
// Exact for a closed law of up to kExactPairs pairs (sotto/measurement.h): the law is made in blocks of rows,
// on all threads, and n x n numbers are never held. Otherwise from draws of our own, each word getting draws
// in proportion to its prior and at least a few.
// `features` has a row for each word of the model.
Lifted lift_features(const Mechanism& mechanism, const Prior& prior, const DenseMatrix& features,
                     const LiftQuestion& question, const Work& work);

}  // namespace sotto
