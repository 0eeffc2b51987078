#pragma once
#include "sotto/explain.h"

namespace sotto::api {

// The bound for one pair of words, and what it rests on.
struct OddsBetween {
  Odds::Basis basis = Odds::Basis::none;
  OddsTo other = {};
};
OddsBetween odds_between(const Mechanism& mechanism, WordId word, WordId other,
                         const std::optional<Certificate>& certificate);

// Empty if every word has the row of `word`.
std::optional<Odds> odds_of(const Mechanism& mechanism, WordId word,
                            const std::optional<Certificate>& certificate);

}  // namespace sotto::api
