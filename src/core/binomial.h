#pragma once

namespace sotto {

// `hits` of `draws` independent draws had a property. Doubles, so that a planned experiment may be asked
// about too; whole numbers up to 2^53 otherwise. 0 <= hits <= draws, draws > 0.
struct HitCount {
  double hits = 0;
  double draws = 0;
};

// Clopper and Pearson 1934: one-sided bounds for the probability behind `hits`, each of which is wrong with
// probability at most `error` (0 < error < 1), whatever that probability is. Exact to about 1e-12,
// relative.
double lower_probability(const HitCount& count, double error);  // 0 for 0 hits
double upper_probability(const HitCount& count, double error);  // 1 for draws hits

// Wilson 1927: the score interval for the probability behind `hits`, 95%. Approximate, unlike the bounds
// above, and good at small counts: the ends stay within 0 and 1.
struct ProbabilityInterval {
  double low = 0;
  double high = 0;
};
ProbabilityInterval wilson_interval(const HitCount& count);

// P(X >= hits) and P(X <= hits) for X ~ Binomial(draws, p), 0 < p < 1. Precise (relative) where the value is
// a tail, that is on the side of the mean where it is below about 1/2.
double binomial_at_least(const HitCount& count, double p);
double binomial_at_most(const HitCount& count, double p);

}  // namespace sotto
