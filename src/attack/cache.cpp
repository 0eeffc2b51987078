// cache: a word that a document has elsewhere is likelier to be used again. How often each word is expected
// elsewhere in the document comes from the bigram attacker's posteriors.
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "attack/attackers.h"
#include "core/parallel.h"

namespace sotto {

std::vector<std::vector<double>> cache_factors(std::span<const LatticeNode> document, double cache,
                                               std::span<const float> unigram) {
  std::unordered_map<std::uint32_t, double> expected;
  for (const LatticeNode& node : document) {
    for (const auto& candidate : node.candidates) {
      expected[static_cast<std::uint32_t>(candidate.word)] += candidate.bigram;
    }
  }
  const double others = std::max<double>(1, static_cast<double>(document.size()) - 1);
  std::vector<std::vector<double>> out(document.size());
  for (std::size_t t = 0; t < document.size(); ++t) {
    for (const auto& candidate : document[t].candidates) {
      const double elsewhere =
          std::max(0.0, expected.at(static_cast<std::uint32_t>(candidate.word)) - candidate.bigram) / others;
      out[t].push_back((1 - cache) + cache * elsewhere / double{unigram[index_of(candidate.word)]});
    }
    out[t].push_back(1 - cache);
  }
  return out;
}

void attack_cache(const AttackKnowledge& knowledge, AttackBatch& batch, PosteriorSink& sink) {
  const double cache = knowledge.weights.value_or(CombinedWeights{}).cache;
  parallel_blocks(batch.documents(), 1, knowledge.threads, [&](std::size_t begin, std::size_t end) {
    std::vector<Belief> beliefs;
    for (std::size_t d = batch.first_document + begin; d < batch.first_document + end; ++d) {
      const std::size_t first = batch.begin_of(d);
      const auto nodes = std::span(batch.lattice).subspan(first, batch.view.document(d).size());
      const auto factors = cache_factors(nodes, cache, knowledge.lm->unigram);
      for (std::size_t t = 0; t < nodes.size(); ++t) {
        double total = nodes[t].rest_bigram * factors[t].back();
        beliefs.clear();
        for (std::size_t i = 0; i < nodes[t].candidates.size(); ++i) {
          const auto& candidate = nodes[t].candidates[i];
          beliefs.push_back({.word = candidate.word, .probability = candidate.bigram * factors[t][i]});
          total += beliefs.back().probability;
        }
        for (Belief& belief : beliefs) belief.probability /= total;
        sink.believe_some(batch.token(first + t), beliefs, nodes[t].rest_bigram);
      }
    }
  });
}

}  // namespace sotto
