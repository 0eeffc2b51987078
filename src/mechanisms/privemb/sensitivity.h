#pragma once
#include <cstddef>

#include "mechanisms/privemb/projection.h"
#include "sotto/model.h"

namespace sotto {

// By how much a projection may stretch distances: upper bounds of |P x - P x'| / |x - x'|.

// For all vectors: |P|_2, rounded up.
double spectral_stretch(const Projection& projection);
// For the vectors of a model: the largest over all pairs of different ones, rounded up. O(n^2).
double vocabulary_stretch(const Projection& projection, const Model& model);

// privemb-2021: a Gaussian projection to `dimension` stretches no difference of `words` vectors by more than
// the bound, but with probability `delta` over the draw of the projection.
struct PaperCase {
  std::size_t dimension;
  std::size_t words;
  double delta;
};
// Union bound over the pairs: |P x|^2 / |x|^2 is chi-squared(m) / m for a fixed x.
double paper_stretch(const PaperCase& given);
// True if 1 + beta is at least that.
bool paper_beta_holds(const PaperCase& given, double beta);
// The paper's dimension for a beta and a delta: floor(1.178 (sqrt(ln dim) + sqrt(ln 1/delta))^2 / beta^2).
struct PaperFormula {
  std::size_t input_dim;
  double beta;
  double delta;
};
double paper_dimension(const PaperFormula& given);

}  // namespace sotto
