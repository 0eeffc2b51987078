#pragma once
#include <string>

#include "measure/sampled_adversary.h"
#include "sotto/prior.h"
#include "sotto/quantity.h"

// The errors of the two attackers of docs/specification.md section 9 as quantities, where the mechanism is
// known from draws only. For searches and experiments that compare many settings.
namespace sotto {

// The bracket of E_opt, for words or labels.
Quantity bracket_quantity(std::string name, const GuessBracket& bracket);

// Other attackers narrow the bracket of E_opt: one who takes the output for the word is not better than the
// best, one who sees the noisy vector is not worse. `changed`: the share of changed words, sampled. `vector`:
// of vector_adversary(); null where the output does not follow from a spherical noisy vector.
void narrow_bracket(Quantity& best, const Quantity& changed, const Quantity* vector);

// E_post (E_M of vickrey-2021, eq. 4): at least its plug-in and E_opt, at most 2 E_opt and the error of a
// guess drawn from the prior. `best`: the narrowed bracket of E_opt. The low end of the bracket is the
// plug-in, whose expectation is at most E_post; the interval holds with the probability of that of E_opt.
Quantity posterior_quantity(const GuessBracket& guess, const Quantity& best, const Prior& prior);

}  // namespace sotto
