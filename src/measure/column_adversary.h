#pragma once
#include <span>
#include <vector>

#include "sotto/mechanism.h"
#include "sotto/prior.h"
#include "sotto/work.h"

namespace sotto {

// How wrong an attacker's guess is at each of some outputs, who knows the law and the prior
// (docs/specification.md section 9). For outputs of words that were drawn from the prior the means are
// unbiased estimates of E_opt and E_post.
struct ColumnErrors {
  std::vector<double> best;       // 1 - max over v of g(v | output)
  std::vector<double> posterior;  // 1 - sum over v of g(v | output)^2
  double error = 0;               // proven: how far each of these may be from the exact value
};

// The law must be an ExponentialLaw. Takes one pass over all pairs of words for the normalisers, in float32
// where that serves, and then a row of distances for each output: the way to measure a vocabulary whose whole
// law is too large to follow.
ColumnErrors column_errors(const Mechanism& mechanism, const Prior& prior, std::span<const WordId> outputs,
                           const Work& work);

}  // namespace sotto
