#pragma once
#include <cstddef>
#include <span>

#include "sotto/mechanism.h"
#include "sotto/prior.h"
#include "sotto/work.h"

namespace sotto {

// The word distribution that most likely led to the outputs of a release, where no public one is known. The
// release is all that is used: this is post-processing. Expectation maximisation from the public frequency
// rank, a fixed number of rounds; each is one pass over the law of all words. Few rounds also keep the result
// near the start, which is the only protection against fitting the noise.
// `outputs`: the share of each word of the model among the released words; sum 1. Throws Error(usage) for a
// mechanism without a closed law, or with more than kExactPairs pairs of words.
inline constexpr std::size_t kReleaseRounds = 30;
Prior release_prior(const Mechanism& mechanism, std::span<const double> outputs, const Work& work,
                    std::size_t rounds = kReleaseRounds);

}  // namespace sotto
