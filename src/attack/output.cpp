// output: guesses that no word was changed.
#include "attack/attackers.h"

namespace sotto {

void attack_output(const AttackKnowledge& /*knowledge*/, AttackBatch& batch, PosteriorSink& sink) {
  for (std::size_t d = batch.first_document; d < batch.last_document; ++d) {
    const auto outputs = batch.view.document(d);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      sink.guess(batch.view.first_token(d) + i, {.word = outputs[i], .content = outputs[i]});
    }
  }
}

}  // namespace sotto
