// combined: a log-linear mixture of what the other attackers believe.
#include "attack/combined.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "attack/attackers.h"
#include "core/parallel.h"
#include "sotto/error.h"

namespace sotto {
namespace {

double safe_log(double value) {
  return std::log(std::max(value, 1e-30));
}

// Solves matrix x = right for a small positive definite matrix, by elimination.
Features solved(std::array<Features, kFeatures> matrix, Features right) {
  for (std::size_t i = 0; i < kFeatures; ++i) {
    for (std::size_t r = i + 1; r < kFeatures; ++r) {
      const double factor = matrix[r][i] / matrix[i][i];
      for (std::size_t c = i; c < kFeatures; ++c) matrix[r][c] -= factor * matrix[i][c];
      right[r] -= factor * right[i];
    }
  }
  Features out{};
  for (std::size_t i = kFeatures; i-- > 0;) {
    double sum = right[i];
    for (std::size_t c = i + 1; c < kFeatures; ++c) sum -= matrix[i][c] * out[c];
    out[i] = sum / matrix[i][i];
  }
  return out;
}

constexpr double kPull = 1.0;  // strength of the pull towards the default weights, in tokens

double log_likelihood(std::span<const FitToken> tokens, const Features& weights) {
  const Features defaults = CombinedWeights{}.weights;
  double sum = 0;
  for (const FitToken& token : tokens) {
    sum += safe_log(combined_posterior(token.features, weights)[token.truth]);
  }
  for (std::size_t i = 0; i < kFeatures; ++i) {
    sum -= kPull / 2 * (weights[i] - defaults[i]) * (weights[i] - defaults[i]);
  }
  return sum;
}

// One Newton step from `weights`: gradient of the likelihood over its curvature.
Features newton_step(std::span<const FitToken> tokens, const Features& weights) {
  const Features defaults = CombinedWeights{}.weights;
  Features gradient{};
  std::array<Features, kFeatures> curvature{};
  for (std::size_t i = 0; i < kFeatures; ++i) {
    gradient[i] = -kPull * (weights[i] - defaults[i]);
    curvature[i][i] = kPull;
  }
  for (const FitToken& token : tokens) {
    const std::vector<double> posterior = combined_posterior(token.features, weights);
    Features mean{};
    for (std::size_t c = 0; c < posterior.size(); ++c) {
      for (std::size_t i = 0; i < kFeatures; ++i) mean[i] += posterior[c] * token.features[c][i];
    }
    for (std::size_t i = 0; i < kFeatures; ++i) gradient[i] += token.features[token.truth][i] - mean[i];
    for (std::size_t c = 0; c < posterior.size(); ++c) {
      for (std::size_t i = 0; i < kFeatures; ++i) {
        const double own = posterior[c] * (token.features[c][i] - mean[i]);
        for (std::size_t j = 0; j < kFeatures; ++j) curvature[i][j] += own * (token.features[c][j] - mean[j]);
      }
    }
  }
  return solved(curvature, gradient);
}

}  // namespace

std::vector<TokenFeatures> combined_features(std::span<const LatticeNode> document,
                                             std::span<const std::vector<double>> trigram, double cache,
                                             std::span<const float> unigram) {
  const auto factors = cache_factors(document, cache, unigram);
  std::vector<TokenFeatures> out(document.size());
  for (std::size_t t = 0; t < document.size(); ++t) {
    const LatticeNode& node = document[t];
    for (std::size_t i = 0; i <= node.candidates.size(); ++i) {
      const bool is_rest = i == node.candidates.size();
      const double bigram = safe_log(is_rest ? node.rest_bigram : node.candidates[i].bigram);
      const double alone = safe_log(is_rest ? node.rest_context_free : node.candidates[i].context_free);
      out[t].push_back({bigram, trigram.empty() ? 0 : safe_log(trigram[t][i]) - bigram, alone - bigram,
                        safe_log(factors[t][i])});
    }
  }
  return out;
}

std::vector<double> combined_posterior(const TokenFeatures& features, const Features& weights) {
  std::vector<double> out;
  double largest = -std::numeric_limits<double>::infinity();
  for (const Features& own : features) {
    double score = 0;
    for (std::size_t i = 0; i < kFeatures; ++i) score += weights[i] * own[i];
    largest = std::max(largest, score);
    out.push_back(score);
  }
  double total = 0;
  for (double& score : out) total += score = std::exp(score - largest);
  for (double& score : out) score /= total;
  return out;
}

Features fit_weights(std::span<const FitToken> tokens) {
  Features weights = CombinedWeights{}.weights;
  double best = log_likelihood(tokens, weights);
  for (int round = 0; round < 25; ++round) {
    const Features step = newton_step(tokens, weights);
    bool moved = false;
    for (double length = 1; length > 1e-3 && !moved; length /= 2) {
      Features tried = weights;
      for (std::size_t i = 0; i < kFeatures; ++i) tried[i] += length * step[i];
      const double own = log_likelihood(tokens, tried);
      if (!(own > best + 1e-9)) continue;
      best = own;
      weights = tried;
      moved = true;
    }
    if (!moved) break;
  }
  return weights;
}

void attack_combined(const AttackKnowledge& knowledge, AttackBatch& batch, PosteriorSink& sink) {
  if (!knowledge.weights) throw Error(ErrorCode::internal, "the combined attacker has no weights");
  const CombinedWeights& weights = *knowledge.weights;
  parallel_blocks(batch.documents(), 1, knowledge.threads, [&](std::size_t begin, std::size_t end) {
    std::vector<Belief> beliefs;
    for (std::size_t d = batch.first_document + begin; d < batch.first_document + end; ++d) {
      const std::size_t first = batch.begin_of(d);
      const std::size_t length = batch.view.document(d).size();
      const auto nodes = std::span(batch.lattice).subspan(first, length);
      const std::span<const std::vector<double>> trigram =
          batch.trigram.empty() ? std::span<const std::vector<double>>()
                                : std::span<const std::vector<double>>(batch.trigram).subspan(first, length);
      const auto features = combined_features(nodes, trigram, weights.cache, knowledge.lm->unigram);
      for (std::size_t t = 0; t < length; ++t) {
        const std::vector<double> posterior = combined_posterior(features[t], weights.weights);
        beliefs.clear();
        for (std::size_t i = 0; i < nodes[t].candidates.size(); ++i) {
          beliefs.push_back({.word = nodes[t].candidates[i].word, .probability = posterior[i]});
        }
        sink.believe_some(batch.token(first + t), beliefs, nodes[t].rest_bigram);
      }
    }
  });
}

}  // namespace sotto
