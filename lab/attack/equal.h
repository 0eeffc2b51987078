#pragma once
#include "lab/attack/corpus.h"

namespace sotto::lab::attack {

// Fills levels.csv for one corpus: the epsilon at which each rival has each level of E_opt. E_opt is what
// `sotto measure` says with the word counts of the corpus's public texts as the prior (unknown words count as
// the anchor): the middle of its bracket, from draws for every mechanism, so that all are judged alike. A
// level that the smallest epsilon does not reach gets reached = 0 and the values at that epsilon.
void find_epsilons(const Run& run, const Settings& settings, const Corpus& corpus, Points& levels);

}  // namespace sotto::lab::attack
