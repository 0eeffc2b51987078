#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "attack/attackers.h"
#include "attack/score.h"
#include "sotto/rng.h"

namespace sotto {

// What the mechanism returns for every token: one random stream for each document, from `first_stream` on.
TokenText released(const Mechanism& mechanism, const TokenText& text, const RandomSource& random,
                   std::uint64_t first_stream, unsigned threads);

// Weights of the combined attacker, fitted on the held-out public text of the language model, which is
// privatised here. Empty if it has none.
std::optional<CombinedWeights> fitted_weights(const AttackKnowledge& knowledge, const Mechanism& mechanism,
                                              const RandomSource& random, const Work& work);

// One attacker on one text.
struct AttackOutcome {
  const AttackerInfo* attacker = nullptr;
  AttackScore score = {};
  std::vector<WordId> guesses = {};  // by token
};
// Every attacker that the language model and the weights allow, in the order of the registry.
std::vector<AttackOutcome> attack_text(const AttackKnowledge& knowledge, const Truth& truth,
                                       const Work& work);

// The error of the context-free attacker on a text that is privatised anew by `mechanism`: for comparisons
// between values of epsilon, which share the random streams. Of `knowledge` it looks at the language model,
// the channel, which is that of `mechanism`, the room and the threads.
double context_free_error(const AttackKnowledge& knowledge, const Mechanism& mechanism, const TokenText& text,
                          const RandomSource& random);

}  // namespace sotto
