#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include "certify/audit_subject.h"
#include "sotto/mechanism.h"
#include "sotto/work.h"

namespace sotto {

// Plausible deniability, as the papers measure it over 1,000 draws of a word: N_w, how probable it is that
// the word stays as it is (the smaller, the more an unchanged word can be denied), and S_w, how many
// different words come out (the more, the better).
inline constexpr std::uint32_t kDeniabilityDraws = 1000;

struct WordDeniability {
  WordId word{};
  double unchanged = 0;  // N_w as a probability
  double distinct = 0;   // S_w, or its expectation where the law is known
};

inline constexpr std::array<double, 7> kDeniabilityQuantiles = {0, 0.05, 0.25, 0.5, 0.75, 0.95, 1};
struct DeniabilitySummary {
  double mean = 0;
  std::array<double, kDeniabilityQuantiles.size()> quantiles = {};
};
struct DeniabilityBand {
  std::size_t words = 0;
  DeniabilitySummary unchanged = {};
  DeniabilitySummary distinct = {};
};

struct Deniability {
  bool exact = false;                       // from the law, not from draws
  std::vector<WordDeniability> words = {};  // in model order
  DeniabilityBand overall = {};
  DeniabilityBand rare = {};  // the last tenth of the model
};

// `count` words of the model, equally many of each tenth of its frequency order, all if there are not more.
// The same for every call: the choice is public.
std::vector<WordId> deniability_words(const Model& model, std::size_t count);

// How many words tables and plots are about: 200, down to 50 where each of 1,000 draws is a search of a large
// model.
std::size_t usual_deniability_words(const Mechanism& mechanism);

// Exact where the law is known (one row of the law a word), otherwise from 1,000 draws a word.
Deniability measure_deniability(const Mechanism& mechanism, std::size_t words, RandomSource random,
                                const Work& work);
// Always from draws.
Deniability measure_deniability(AuditSubject& subject, const Model& model, std::size_t words,
                                const Work& work);

}  // namespace sotto
