#include "learn/word_scores.h"

#include <cmath>

#include "learn/learner.h"

namespace sotto {

WordScores word_scores(const TokenLists& texts, std::span<const std::uint32_t> labels, const Model& model,
                       WordId anchor, unsigned threads) {
  const DirectModel direct = fit_direct(texts, model.size(), {.of = labels, .classes = 2}, threads);
  WordScores out{.of = std::vector<double>(model.size(), 0.0)};
  double squares = 0;
  for (std::size_t w = 0; w < model.size(); ++w) {
    if (word_id(w) == anchor) continue;
    out.of[w] = direct.weights[w] * direct.linear.weights.row(w)[0];
    squares += out.of[w] * out.of[w];
    out.scored += direct.weights[w] > 0 ? 1 : 0;
  }
  const double scale = squares > 0 ? std::sqrt(static_cast<double>(out.scored) / squares) : 0;
  for (double& score : out.of) score *= scale;
  return out;
}

}  // namespace sotto
