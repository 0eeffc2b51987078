// nearest: the baseline of papers on embedding inversion. It takes every word for changed, and guesses the
// word nearest to the output.
#include <algorithm>
#include <limits>
#include <vector>

#include "attack/attackers.h"

namespace sotto {
namespace {

// `distances`: by row of `pairs`.
PosteriorSink::Guess nearest_words(const AllPairs& pairs, WordId output, std::span<const double> distances) {
  PosteriorSink::Guess guess{.word = output, .content = output};
  double any = std::numeric_limits<double>::infinity();
  double content = any;
  for (std::size_t w = 0; w < pairs.space().size(); ++w) {
    const double away = distances[pairs.row(word_id(w))];
    if (!(away < content) || word_id(w) == output) continue;
    if (away < any) {
      any = away;
      guess.word = word_id(w);
    }
    if (w >= kFunctionWords) {
      content = away;
      guess.content = word_id(w);
    }
  }
  return guess;
}

}  // namespace

void attack_nearest(const AttackKnowledge& knowledge, AttackBatch& batch, PosteriorSink& sink) {
  auto& guesses = batch.memory->nearest;
  std::vector<std::pair<const std::uint32_t, PosteriorSink::Guess>*> places;  // of outputs that are new
  for (std::size_t d = batch.first_document; d < batch.last_document; ++d) {
    for (const WordId output : batch.view.document(d)) {
      const auto [place, is_new] = guesses.try_emplace(static_cast<std::uint32_t>(output));
      if (is_new) places.push_back(&*place);
    }
  }
  std::vector<std::size_t> rows;
  for (const auto* place : places) rows.push_back(knowledge.pairs->row(WordId{place->first}));
  knowledge.pairs->visit_rows(
      rows, {.threads = knowledge.threads}, [&](std::size_t i, std::span<const double> distances) {
        places[i]->second = nearest_words(*knowledge.pairs, WordId{places[i]->first}, distances);
      });
  for (std::size_t d = batch.first_document; d < batch.last_document; ++d) {
    const auto outputs = batch.view.document(d);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      sink.guess(batch.view.first_token(d) + i, guesses.at(static_cast<std::uint32_t>(outputs[i])));
    }
  }
}

}  // namespace sotto
