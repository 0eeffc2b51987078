#pragma once
#include <vector>

#include "measure/deniability.h"
#include "sotto/measurement.h"
#include "sotto/mechanism.h"
#include "sotto/work.h"

// What several pages plot of a mechanism. Draws have a fixed public seed: the same question gives the same
// page.
namespace sotto::api {

// N_w and S_w of usual_deniability_words(), the words of the table of `measure`.
Deniability plotted_deniability(const Mechanism& mechanism, const Work& work);

// How far down the neighbours of the input the outputs lie: shares of kRankDraws draws, words taken by the
// public rank prior. The mechanism writes words, not a token.
inline constexpr std::size_t kRankDraws = 3000;
std::vector<RankShare> plotted_ranks(const Mechanism& mechanism, const Work& work);

}  // namespace sotto::api
