// bigram: the exact posterior given the whole document, if its words follow the bigram model.
// Forward-backward over the whole vocabulary; no word is pruned.
#include <algorithm>
#include <vector>

#include "attack/attackers.h"

namespace sotto {
namespace {

// Forward messages that are kept. At 50,000 words these are 200.
constexpr std::size_t kMessageBytes = std::size_t{640} << 20;

}  // namespace

void attack_bigram(const AttackKnowledge& knowledge, AttackBatch& batch, PosteriorSink& sink) {
  const std::size_t n = knowledge.lm->size;
  batch.lattice.assign(batch.columns.size(), {});
  std::vector<ColumnPointers> documents;
  for (std::size_t d = batch.first_document; d < batch.last_document; ++d) {
    documents.push_back(std::span(batch.columns).subspan(batch.begin_of(d), batch.view.document(d).size()));
  }
  const ForwardBackwardLimits limits{
      .most_messages = std::max<std::size_t>(64, kMessageBytes / (n * kLanes * sizeof(float))),
      .threads = knowledge.threads,
      .memory = &batch.memory->room->messages};
  forward_backward(*knowledge.chain, documents, limits,
                   [&](std::size_t document, std::size_t t, std::span<const float> posterior) {
                     const std::size_t place = batch.begin_of(batch.first_document + document) + t;
                     batch.lattice[place] = lattice_node(posterior, {batch.columns[place], n}, *knowledge.lm);
                     sink.believe(batch.token(place), posterior);
                   });
}

}  // namespace sotto
