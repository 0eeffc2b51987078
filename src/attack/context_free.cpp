// context-free: the best guess for each output alone, P(w) P(output | w).
#include <algorithm>
#include <numeric>
#include <vector>

#include "attack/attackers.h"
#include "attack/vector_kernels.h"
#include "core/parallel.h"

namespace sotto {

void attack_context_free(const AttackKnowledge& knowledge, AttackBatch& batch, PosteriorSink& sink) {
  const std::span<const float> prior = knowledge.lm->unigram;
  // Tokens with one output share the posterior.
  std::vector<std::size_t> order(batch.columns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::less<>(), [&](std::size_t i) { return batch.columns[i]; });
  parallel_blocks(order.size(), 32, knowledge.threads, [&](std::size_t begin, std::size_t end) {
    std::vector<float> posterior(prior.size());
    const float* last = nullptr;
    for (std::size_t i = begin; i < end; ++i) {
      const float* column = batch.columns[order[i]];
      if (column != last) {
        const double total = multiply(prior, {column, prior.size()}, posterior);
        scale(posterior, static_cast<float>(1 / total));
        last = column;
      }
      sink.believe(batch.token(order[i]), posterior);
    }
  });
}

}  // namespace sotto
