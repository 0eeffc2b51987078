#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "attack/lattice.h"
#include "sotto/ids.h"

namespace sotto {

// What the combined attacker weighs, for a candidate or for all other words together: logarithms of
// the bigram posterior, of the trigram's and the context-free one's over it, and of the cache's factor.
inline constexpr std::size_t kFeatures = 4;
using Features = std::array<double, kFeatures>;

struct CombinedWeights {
  Features weights = {1, 0.5, 0, 0.5};
  double cache = 0.1;  // how likely a word is one of its document's other words
};

// By token of a document: the features of each candidate, then of the rest.
using TokenFeatures = std::vector<Features>;
// `trigram` is empty if there is no such attacker.
std::vector<TokenFeatures> combined_features(std::span<const LatticeNode> document,
                                             std::span<const std::vector<double>> trigram, double cache,
                                             std::span<const float> unigram);
// Probabilities of the candidates, then of the rest.
std::vector<double> combined_posterior(const TokenFeatures& features, const Features& weights);

// A token of public text that we privatised ourselves: its features, and which of them is the truth (the last
// one: no candidate).
struct FitToken {
  TokenFeatures features = {};
  std::size_t truth = 0;
};
// The weights of largest likelihood, by damped Newton steps; the likelihood is concave. A weak pull towards
// the default keeps them finite.
Features fit_weights(std::span<const FitToken> tokens);

// The factor by which the other words of a document make each candidate, and the rest, more or less likely.
std::vector<std::vector<double>> cache_factors(std::span<const LatticeNode> document, double cache,
                                               std::span<const float> unigram);

}  // namespace sotto
