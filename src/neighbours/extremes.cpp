#include "sotto/extremes.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>

#include "core/parallel.h"
#include "neighbours/neighbourhoods.h"
#include "neighbours/score_table.h"

namespace sotto {
namespace {

constexpr std::size_t kRowBlock = 16;

// On a tie the earlier pair stays, so that threads do not change the answer.
void merge(Extremes& into, const Extremes& other) {
  if (other.smallest < into.smallest || (other.smallest == into.smallest && other.nearest < into.nearest)) {
    into.smallest = other.smallest;
    into.nearest = other.nearest;
  }
  if (other.largest > into.largest || (other.largest == into.largest && other.farthest < into.farthest)) {
    into.largest = other.largest;
    into.farthest = other.farthest;
  }
}

// Of words of different rows.
void consider(Extremes& extremes, double distance, WordId one, WordId other) {
  const WordPair pair = std::minmax(one, other);
  merge(extremes, {.smallest = distance, .largest = distance, .nearest = pair, .farthest = pair});
}

// The definition.
Extremes scan_words(const Space& space, std::size_t begin, std::size_t end) {
  std::vector<double> distances(space.size());
  Extremes block;
  for (std::size_t first = begin; first < end; ++first) {
    if (space.representative(word_id(first)) != word_id(first)) continue;
    space.distances_from(word_id(first), distances);
    for (std::size_t second = first + 1; second < space.size(); ++second) {
      if (space.representative(word_id(second)) == word_id(first)) continue;
      consider(block, distances[second], word_id(first), word_id(second));
    }
  }
  return block;
}

// The same by scores: exact distances are computed only of pairs whose score, with its error bound, leaves
// them a chance against the extremes so far. Every pair is met from both sides, which changes nothing.
Extremes score_words(const Space& space, const ScoreTable& table, Extremes so_far, std::size_t begin,
                     std::size_t end) {
  std::vector<WordId> words;
  for (std::size_t w = begin; w < end; ++w) words.push_back(word_id(w));
  thread_local ScoreTable::Scores scores;  // large: not asked for again and again
  table.score(words, scores);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const float* row = scores.scores.data() + i * table.places();
    const float* minima = scores.minima.data() + i * table.chunks();
    const ScoreBounds bounds = table.bounds(words[i]);
    double near = 0;  // scores up to it may belong to a smaller distance
    double far = 0;   // scores from it on, to a larger one
    const auto take_limits = [&] {
      near = bounds.most_score(so_far.smallest);
      far = bounds.least_score(so_far.largest);
    };
    const auto visit = [&](std::size_t place) {
      const WordId other = table.word(place);
      if (space.representative(words[i]) == space.representative(other)) return;
      consider(so_far, space.distance(words[i], other), words[i], other);
      take_limits();
    };
    take_limits();
    for (std::size_t chunk = 0; chunk < table.chunks(); ++chunk) {
      if (minima[chunk] > near) continue;
      for (std::size_t place = chunk * kChunk; place < (chunk + 1) * kChunk; ++place) {
        if (row[place] <= near && !std::isinf(row[place])) visit(place);
      }
    }
    if (largest_score(row, table.places()) < far) continue;
    for (std::size_t place = 0; place < table.places(); ++place) {
      if (row[place] >= far && !std::isinf(row[place])) visit(place);
    }
  }
  return so_far;
}

}  // namespace

Extremes find_extremes(const Space& space, unsigned threads) {
  constexpr std::size_t kFewWords = 2000;  // building the table costs more than it saves
  const std::size_t n = space.size();
  std::unique_ptr<const ScoreTable> table;
  if (n > kFewWords && space.is_euclidean()) {
    table = std::make_unique<const ScoreTable>(space, Clusters::make(space.model(), threads));
    if (!table->is_usable()) table = nullptr;
  }
  Extremes found;
  std::mutex mutex;
  parallel_blocks(
      n, table ? Neighbourhoods::kBatch : kRowBlock, threads, [&](std::size_t begin, std::size_t end) {
        Extremes block;
        if (table) {
          const std::unique_lock lock(mutex);
          block = found;
        }
        block = table ? score_words(space, *table, block, begin, end) : scan_words(space, begin, end);
        if (std::isinf(block.smallest)) return;
        const std::lock_guard lock(mutex);
        merge(found, block);
      });
  return found;
}

std::vector<WordPair> shared_rows(const Space& space, std::size_t limit) {
  std::vector<WordPair> pairs;
  if (space.merged_words() == 0) return pairs;
  for (std::size_t y = 0; y < space.size() && pairs.size() < limit; ++y) {
    const WordId first = space.representative(word_id(y));
    if (first != word_id(y)) pairs.push_back({first, word_id(y)});
  }
  return pairs;
}

}  // namespace sotto
