#pragma once
#include <vector>

#include "api/attack.h"

namespace sotto::api {

// Fills AttackerAnswer::equivalent_epsilon. The error of the context-free attacker is measured at other
// values of epsilon, on a few thousand tokens of the text that are privatised anew, and read off between
// them. Only for mechanisms whose law is quickly known at another epsilon: others keep none.
void add_equivalent_epsilons(AttackAnswer& answer, const LanguageModel& lm, const TokenText& text,
                             const RandomSource& random, const Work& work);

// For k = 1 and 3, at the median distance of a word to its nearest other word.
std::vector<PairBound> pair_bounds(const CertifiedMechanism& built, unsigned threads);

}  // namespace sotto::api
