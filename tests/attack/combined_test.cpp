#include "attack/combined.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/uniform.h"
#include "sotto/rng.h"

namespace sotto {
namespace {

// Tokens whose truth is drawn with known weights: the fit must find them. 4,000 tokens of 4 classes; the
// standard error of each weight is below .06, and .3 is five of them.
TEST(Combined, FitFindsTheWeights) {
  const Features truth = {0.8, 0.3, 0.1, 0.6};
  Rng rng = Rng::seeded_not_private(4);
  std::vector<FitToken> tokens;
  for (std::size_t i = 0; i < 4000; ++i) {
    FitToken token{.features = TokenFeatures(4)};
    for (Features& own : token.features) {
      for (double& value : own) value = static_cast<double>(uniform_below(rng, 4000)) / 1000 - 2;
    }
    std::vector<double> sums = combined_posterior(token.features, truth);
    for (std::size_t c = 1; c < sums.size(); ++c) sums[c] += sums[c - 1];
    token.truth = choose_by_sums(rng, sums);
    tokens.push_back(std::move(token));
  }
  const Features found = fit_weights(tokens);
  for (std::size_t i = 0; i < kFeatures; ++i) EXPECT_NEAR(found[i], truth[i], 0.3) << i;
}

TEST(Combined, FitWithoutTokensIsTheDefault) {
  const Features found = fit_weights({});
  for (std::size_t i = 0; i < kFeatures; ++i) EXPECT_DOUBLE_EQ(found[i], CombinedWeights{}.weights[i]);
}

LatticeNode node_of(double first, double second) {
  LatticeNode node;
  node.candidates = {{.word = word_id(1), .bigram = first, .context_free = first, .channel = 1},
                     {.word = word_id(2), .bigram = second, .context_free = second, .channel = 1}};
  node.rest_bigram = node.rest_context_free = 1 - first - second;
  return node;
}

// Word 1 is certain in the first token: it gets likelier in the second, where nothing else is known.
TEST(Cache, WordsRepeat) {
  const std::vector<LatticeNode> document = {node_of(0.98, 0.01), node_of(0.4, 0.4)};
  const std::vector<float> unigram(4, 0.25F);
  const auto factors = cache_factors(document, 0.5, unigram);
  EXPECT_NEAR(factors[1][0], 0.5 + 0.5 * 0.98 / 0.25, 1e-6);
  EXPECT_NEAR(factors[1][1], 0.5 + 0.5 * 0.01 / 0.25, 1e-6);
  EXPECT_NEAR(factors[1][2], 0.5, 1e-12);
  // A token is no evidence for itself.
  EXPECT_NEAR(factors[0][0], 0.5 + 0.5 * 0.4 / 0.25, 1e-6);
}

}  // namespace
}  // namespace sotto
