// nearest: the baseline of papers on embedding inversion. It takes every word for changed, and guesses the
// word nearest to the output.
#include <algorithm>
#include <limits>
#include <unordered_map>
#include <vector>

#include "attack/attackers.h"
#include "core/parallel.h"

namespace sotto {
namespace {

PosteriorSink::Guess nearest_words(const Space& space, WordId output, std::vector<double>& distances) {
  distances.resize(space.size());
  space.distances_from(output, distances);
  PosteriorSink::Guess guess{.word = output, .content = output};
  double any = std::numeric_limits<double>::infinity();
  double content = any;
  for (std::size_t w = 0; w < distances.size(); ++w) {
    if (word_id(w) == output) continue;
    if (distances[w] < any) {
      any = distances[w];
      guess.word = word_id(w);
    }
    if (w >= kFunctionWords && distances[w] < content) {
      content = distances[w];
      guess.content = word_id(w);
    }
  }
  return guess;
}

}  // namespace

void attack_nearest(const AttackKnowledge& knowledge, AttackBatch& batch, PosteriorSink& sink) {
  std::unordered_map<std::uint32_t, PosteriorSink::Guess> guesses;
  for (std::size_t d = batch.first_document; d < batch.last_document; ++d) {
    for (const WordId output : batch.view.document(d)) guesses[static_cast<std::uint32_t>(output)];
  }
  std::vector<std::pair<const std::uint32_t, PosteriorSink::Guess>*> places;
  for (auto& place : guesses) places.push_back(&place);
  parallel_blocks(places.size(), 16, knowledge.threads, [&](std::size_t begin, std::size_t end) {
    std::vector<double> distances;
    for (std::size_t i = begin; i < end; ++i) {
      places[i]->second = nearest_words(*knowledge.space, WordId{places[i]->first}, distances);
    }
  });
  for (std::size_t d = batch.first_document; d < batch.last_document; ++d) {
    const auto outputs = batch.view.document(d);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      sink.guess(batch.view.first_token(d) + i, guesses.at(static_cast<std::uint32_t>(outputs[i])));
    }
  }
}

}  // namespace sotto
