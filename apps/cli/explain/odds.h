#pragma once
#include <optional>
#include <string_view>

#include "sotto/certificate.h"
#include "sotto/mechanism.h"

namespace sotto::cli {

// An upper bound on the loss |ln P(y|word) - ln P(y|other)| over all outputs y; seeing an output changes the
// odds between the two words by a factor of at most e^loss.
struct OddsTo {
  WordId word{};
  double distance = 0;              // of the space
  std::optional<double> loss = {};  // empty: no bound; infinite: an output of one is impossible for the other
};

// What an output tells of one word against its nearest word and against one at the median distance.
struct Odds {
  enum class Basis {
    theorem,      // epsilon times the mechanism's own distance
    certificate,  // computed over all pairs of words, where that is less
    law,          // no theorem holds; the two words' laws were compared
    none,         // nothing is known to hold
  };
  Basis basis = Basis::none;
  OddsTo nearest = {};
  OddsTo typical = {};
};
std::string_view basis_name(Odds::Basis basis);

// Empty if every word has the row of `word`.
std::optional<Odds> odds_of(const Mechanism& mechanism, WordId word,
                            const std::optional<Certificate>& certificate);

}  // namespace sotto::cli
