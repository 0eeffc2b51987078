// bigram: the exact posterior given the whole document, if its words follow the bigram model.
// Forward-backward over the whole vocabulary; no word is pruned.
#include <algorithm>
#include <numeric>
#include <vector>

#include "attack/attackers.h"
#include "core/parallel.h"

namespace sotto {
namespace {

// Forward messages of one thread.
constexpr std::size_t kMessageBytes = std::size_t{256} << 20;

}  // namespace

void attack_bigram(const AttackKnowledge& knowledge, AttackBatch& batch, PosteriorSink& sink) {
  const std::size_t n = knowledge.lm->size;
  const std::size_t most_steps = std::max<std::size_t>(32, kMessageBytes / (n * kLanes * sizeof(float)));
  batch.lattice.assign(batch.columns.size(), {});
  // Documents of similar length share their steps.
  std::vector<std::size_t> order(batch.documents());
  std::iota(order.begin(), order.end(), batch.first_document);
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](std::size_t d) { return batch.view.document(d).size(); });
  parallel_blocks(order.size(), kLanes, knowledge.threads, [&](std::size_t begin, std::size_t end) {
    std::vector<ColumnPointers> documents;
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t length = batch.view.document(order[i]).size();
      documents.push_back(std::span(batch.columns).subspan(batch.begin_of(order[i]), length));
    }
    forward_backward(
        *knowledge.chain, documents, most_steps,
        [&](std::size_t lane, std::size_t t, std::span<const float> posterior) {
          const std::size_t place = batch.begin_of(order[begin + lane]) + t;
          batch.lattice[place] = lattice_node(posterior, {batch.columns[place], n}, *knowledge.lm);
          sink.believe(batch.token(place), posterior);
        });
  });
}

}  // namespace sotto
