#pragma once
// The definitions of docs/specification.md section 9, written as they stand: slow and obvious.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "mechanisms/build.h"
#include "sotto/mechanism.h"
#include "sotto/prior.h"
#include "support/models.h"

namespace sotto::test {

using Table = std::vector<std::vector<double>>;

// law[w][o], for all words.
inline Table law_table(const Mechanism& mechanism) {
  Table law;
  for (std::size_t w = 0; w < mechanism.space->size(); ++w) {
    std::vector<double> row = mechanism.words->log_law(word_id(w)).value();
    for (double& value : row) value = std::exp(value);
    law.push_back(row);
  }
  return law;
}

// g[o][v] = pi(v) f(o|v) / sum_u pi(u) f(o|u)
inline Table posterior_table(const Table& law, const Prior& prior) {
  const std::size_t n = law.size();
  Table posterior(n, std::vector<double>(n, 0.0));
  for (std::size_t o = 0; o < n; ++o) {
    double total = 0;
    for (std::size_t u = 0; u < n; ++u) total += prior.weights[u] * law[u][o];
    for (std::size_t v = 0; v < n && total > 0; ++v) posterior[o][v] = prior.weights[v] * law[v][o] / total;
  }
  return posterior;
}

enum class Loss { zero_one, distance };
inline double guess_loss(const Space& space, Loss loss, std::size_t guess, std::size_t word) {
  if (loss == Loss::zero_one) return guess == word ? 0 : 1;
  return space.distance(word_id(guess), word_id(word));
}

// E_post: sum over w, o, v of pi(w) f(o|w) g(v|o) loss(v, w).
inline double brute_e_post(const Mechanism& mechanism, const Prior& prior, Loss loss) {
  const Table law = law_table(mechanism);
  const Table posterior = posterior_table(law, prior);
  const std::size_t n = law.size();
  double sum = 0;
  for (std::size_t w = 0; w < n; ++w) {
    for (std::size_t v = 0; v < n; ++v) {
      double both = 0;
      for (std::size_t o = 0; o < n; ++o) both += law[w][o] * posterior[o][v];
      sum += prior.weights[w] * both * guess_loss(*mechanism.space, loss, v, w);
    }
  }
  return sum;
}

// E_opt: sum over o of the smallest over guesses (words that the prior holds possible) of the expected loss.
inline double brute_e_opt(const Mechanism& mechanism, const Prior& prior, Loss loss) {
  const Table law = law_table(mechanism);
  const std::size_t n = law.size();
  Table losses(n, std::vector<double>(n));
  for (std::size_t x = 0; x < n; ++x) {
    for (std::size_t w = 0; w < n; ++w) losses[x][w] = guess_loss(*mechanism.space, loss, x, w);
  }
  double sum = 0;
  for (std::size_t o = 0; o < n; ++o) {
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t x = 0; x < n; ++x) {
      if (!(prior.weights[x] > 0)) continue;
      double expected = 0;
      for (std::size_t w = 0; w < n; ++w) expected += prior.weights[w] * law[w][o] * losses[x][w];
      best = std::min(best, expected);
    }
    sum += best;
  }
  return sum;
}

inline Mechanism small_tem(std::size_t words, const char* epsilon) {
  return build_uncertified("tem", gaussian_model({.words = words, .dim = 8}), {{"epsilon", epsilon}});
}

}  // namespace sotto::test
