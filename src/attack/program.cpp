// program: the candidates of each token, judged by a program that knows the language better than n-grams do.
// The program sees what the attacker before it (bigram) guesses for all other tokens, and says how likely
// each candidate is between them; that times P(output | candidate) is what holds if the neighbours were
// guessed right. As they may be wrong, the belief is a mixture: of that, with the probability that both
// neighbours are right, and else of what the attacker before it believes.
#include <algorithm>
#include <cmath>
#include <vector>

#include "attack/attackers.h"
#include "attack/program_model.h"

namespace sotto {
namespace {

// The probability that the guesses beside token t are right, if they are independent.
double sureness(std::span<const LatticeNode> nodes, std::size_t t) {
  double out = 1;
  if (t > 0) out *= nodes[t - 1].candidates.front().bigram;
  if (t + 1 < nodes.size()) out *= nodes[t + 1].candidates.front().bigram;
  return out;
}

}  // namespace

void attack_program(const AttackKnowledge& knowledge, AttackBatch& batch, PosteriorSink& sink) {
  const Model& model = knowledge.space->model();
  std::vector<std::string_view> tokens;
  std::vector<std::string_view> candidates;
  std::vector<Belief> beliefs;
  for (std::size_t d = batch.first_document; d < batch.last_document; ++d) {
    const auto nodes = std::span(batch.lattice).subspan(batch.begin_of(d), batch.view.document(d).size());
    tokens.clear();
    for (const LatticeNode& node : nodes) tokens.push_back(model.word(node.candidates.front().word));
    for (std::size_t t = 0; t < nodes.size(); ++t) {
      candidates.clear();
      for (const auto& candidate : nodes[t].candidates) candidates.push_back(model.word(candidate.word));
      const std::vector<double> logp = knowledge.program->logp(tokens, t, candidates);
      std::vector<double> scores(logp.size());
      for (std::size_t i = 0; i < logp.size(); ++i) {
        scores[i] = logp[i] + std::log(nodes[t].candidates[i].channel);  // -infinity where the channel is 0
      }
      const double largest = *std::ranges::max_element(scores);
      double total = 0;
      beliefs.clear();
      for (std::size_t i = 0; i < scores.size(); ++i) {
        beliefs.push_back(
            {.word = nodes[t].candidates[i].word, .probability = std::exp(scores[i] - largest)});
        total += beliefs.back().probability;
      }
      const double trust = sureness(nodes, t);
      // The program says nothing of words that are no candidates: they keep their share.
      const double told = 1 - nodes[t].rest_bigram;
      for (std::size_t i = 0; i < beliefs.size(); ++i) {
        double& own = beliefs[i].probability;
        own = trust * told * own / total + (1 - trust) * nodes[t].candidates[i].bigram;
      }
      sink.believe_some(batch.token(batch.begin_of(d) + t), beliefs, nodes[t].rest_bigram);
    }
  }
}

}  // namespace sotto
