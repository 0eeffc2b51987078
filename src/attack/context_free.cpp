// context-free: the best guess for each output alone, P(w) P(output | w).
#include <vector>

#include "attack/attackers.h"
#include "core/parallel.h"

namespace sotto {

void attack_context_free(const AttackKnowledge& knowledge, AttackBatch& batch, PosteriorSink& sink) {
  const std::span<const float> prior = knowledge.lm->unigram;
  parallel_blocks(batch.columns.size(), 32, knowledge.threads, [&](std::size_t begin, std::size_t end) {
    std::vector<float> posterior(prior.size());
    for (std::size_t i = begin; i < end; ++i) {
      double total = 0;
      for (std::size_t w = 0; w < prior.size(); ++w) {
        posterior[w] = prior[w] * batch.columns[i][w];
        total += double{posterior[w]};
      }
      const auto factor = static_cast<float>(1 / total);
      for (float& value : posterior) value *= factor;
      sink.believe(batch.token(i), posterior);
    }
  });
}

}  // namespace sotto
