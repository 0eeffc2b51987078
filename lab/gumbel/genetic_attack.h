#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/mechanism.h"
#include "sotto/rng.h"

namespace sotto::lab::gumbel {

// What is attacked: a classifier with one example's right label.
class Victim {
 public:
  struct Verdict {
    float right_probability;  // of the right label
    bool right;               // the right label is the most probable
  };
  virtual ~Victim() = default;
  // Of each text; `texts` holds texts of `length` words, one after the other.
  virtual std::vector<Verdict> judge(std::span<const WordId> texts, std::size_t length) = 0;
};

struct AttackPlan {
  std::size_t population = 60;
  std::size_t generations = 20;
  std::size_t draws = 8;     // of the mechanism, for one mutation
  double temperature = 0.3;  // of the choice of parents, as in the code of Alzantot et al.
};

struct AttackOutcome {
  bool fooled = false;
  std::vector<WordId> text = {};  // one that fools the victim, else the best that was found
  std::size_t generations = 0;
};

// The population-based search of Alzantot et al. 2018 with a mechanism as the source of substitutions
// (section 6.3 of the paper).
// - A mutation picks one place of `may_change` (1: yes), draws words for the original word of that place from
//   the mechanism, and keeps the text with the least probability of the right label. Words are drawn for the
//   original word, so that every text that is tried is a possible output of the mechanism.
// - The first population is `population` mutations of the original text. Each later generation keeps the best
//   text and fills up with children: two parents, the fitter the likelier (fitness: 1 - probability of the
//   right label), each place from either parent, then a mutation.
// The search ends as soon as a text is classified wrongly. All texts of a generation are judged in one batch.
struct Target {
  std::span<const WordId> text;
  std::span<const std::uint8_t> may_change;
};
AttackOutcome attack(const Target& target, const WordMechanism& mechanism, Victim& victim,
                     const AttackPlan& plan, Rng& rng);

}  // namespace sotto::lab::gumbel
