#pragma once
#include "sotto/explain.h"

namespace sotto::api {

// Empty if every word has the row of `word`.
std::optional<Odds> odds_of(const Mechanism& mechanism, WordId word,
                            const std::optional<Certificate>& certificate);

}  // namespace sotto::api
