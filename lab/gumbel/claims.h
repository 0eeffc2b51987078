#pragma once
#include <span>

#include "lab/gumbel/law.h"

namespace sotto::lab::gumbel {

// claims.csv: Lemma 1 and appendix C of the paper against the exact law. A row has the printed bound, the
// exact probability that a word stays (its mean over the words), and the share of words that break the bound.
//
// Lemma 1 says that for every fixed number K of candidates a word stays with probability at most
// exp(-e^(-2 D / b)). Appendix C says that a word stays with probability at least exp(-e^(-delta / b))
// P(K >= 2), delta the distance to its nearest word.
Points::Layout claims_layout();
// Two words at distance 1, and on each domain 40 words or more at the smallest usable epsilon and at ln
// epsilon 14, 23, 38 and 62.
void measure_claims(const Settings& settings, std::span<const Domain> domains, Points& table);

}  // namespace sotto::lab::gumbel
