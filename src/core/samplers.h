#pragma once
#include <cstdint>
#include <span>

#include "sotto/rng.h"

namespace sotto {

// Samplers of real distributions, to the precision of a double ("pure in exact arithmetic").

// Uniform on (0, 1), never 0 or 1, with all 53 bits of precision at every magnitude: the exponent is
// drawn from the bits too, so that a logarithm sees the true tail.
double uniform_open(Rng& rng);
double exponential(Rng& rng);  // mean 1
double gaussian(Rng& rng);     // mean 0, variance 1
// shape > 0, scale 1 (Marsaglia and Tsang 2000; shape < 1 by their boost).
double gamma(Rng& rng, double shape);
// Location 0, scale 1: P(X <= x) = exp(-exp(-x)).
double gumbel(Rng& rng);
// A Gumbel of location 0 and this scale, conditioned on [-cut, cut]. Both above 0 and finite.
struct TruncatedGumbelLaw {
  double scale;
  double cut;
};
double truncated_gumbel(Rng& rng, const TruncatedGumbelLaw& law);
// mean >= 0 and finite; takes O(mean) time.
std::uint64_t poisson(Rng& rng, double mean);
// Uniform on the unit sphere of out.size() >= 1 dimensions: a normalised Gaussian, never the ball.
void unit_sphere(Rng& rng, std::span<double> out);

}  // namespace sotto
