#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/large_memory.h"
#include "neighbours/clusters.h"
#include "sotto/space.h"

namespace sotto {

// The vectors of a Euclidean space packed for fast float32 scores: in the order of the clusters, each cluster
// beginning a new chunk, the last chunk of each filled up with places that hold no word.
class ScoreTable {
 public:
  ScoreTable(const Space& space, const Clusters& clusters);

  // Vectors so long that float32 squares would overflow have no scores.
  [[nodiscard]] bool is_usable() const noexcept { return largest_norm_ < 1e15; }

  // Scores of several words against all places: `scores` has places() values a word, `minima` one a chunk.
  // Megabytes that are written from one end to the other and read again, hence in huge pages.
  struct Scores {
    LargeMemory memory;
    std::span<float> scores;  // in `memory`
    std::vector<float> minima;
  };
  void score(std::span<const WordId> words, Scores& out) const;

  [[nodiscard]] std::size_t places() const noexcept { return words_.size(); }
  [[nodiscard]] std::size_t chunks() const noexcept;
  // The word of a place; only for places whose score is finite.
  [[nodiscard]] WordId word(std::size_t place) const { return words_[place]; }
  [[nodiscard]] std::size_t place(WordId word) const { return place_of_[index_of(word)]; }
  // Chunks [first, last) hold a cluster.
  [[nodiscard]] std::size_t first_chunk(std::size_t cluster) const { return chunk_begins_[cluster]; }
  [[nodiscard]] std::size_t last_chunk(std::size_t cluster) const { return chunk_begins_[cluster + 1]; }

  // |score - squared distance| of `word` to every word, also when the distance is the double that Space
  // computes.
  [[nodiscard]] double error_bound(WordId word) const;

 private:
  const Space& space_;
  std::size_t dim_;
  LargeMemory memory_;
  float* packed_ = nullptr;  // in memory_: dim values a place, read from one end to the other for each batch
  std::vector<float> norms_;
  std::vector<WordId> words_;
  std::vector<std::uint32_t> place_of_;
  std::vector<std::uint32_t> chunk_begins_;
  double largest_norm_ = 0;  // |y|, over all words
};

}  // namespace sotto
