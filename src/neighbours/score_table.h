#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/large_memory.h"
#include "neighbours/clusters.h"
#include "neighbours/score_kernels.h"
#include "sotto/space.h"

namespace sotto {

// What the score of two words says about their distance (score_table.cpp has the proof). One word of a pair
// is fixed.
struct ScoreBounds {
  double step = 0;      // the unit of a grid distance
  double apart = 0;     // a distance is that far from the distance of the grid points, at most
  double rounding = 0;  // a score is that far from the squared distance of the grid points, at most

  // Of words with this score or a lower one.
  [[nodiscard]] double most(double score) const {
    return (step * std::sqrt(std::max(0.0, score + rounding)) + apart) * (1 + 0x1p-40);
  }
  // The words at this distance or a shorter one have this score at most.
  [[nodiscard]] double most_score(double distance) const {
    const double grid = (distance + apart) / step * (1 + 0x1p-40);
    return grid * grid + rounding;
  }
  // The words at this distance or a longer one have this score at least.
  [[nodiscard]] double least_score(double distance) const {
    const double grid = std::max(0.0, distance - apart) / step * (1 - 0x1p-40);
    return grid * grid - rounding;
  }
};

// The vectors of a Euclidean space rounded to a grid of 16-bit integers and packed for fast scores: in the
// order of the clusters, each cluster beginning a new chunk, the last chunk of each filled up with places
// that hold no word. A score is the squared distance of two grid points, in steps of the grid.
class ScoreTable {
 public:
  ScoreTable(const Space& space, const Clusters& clusters);

  // Vectors that are all equal have no scores.
  [[nodiscard]] bool is_usable() const noexcept { return is_usable_; }

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

  // For the scores of `word` and every word, and the distance that Space computes.
  [[nodiscard]] ScoreBounds bounds(WordId word) const;

 private:
  void choose_grid();
  void pack(std::size_t chunk, std::span<const WordId> words);

  const Space& space_;
  std::size_t pairs_;  // of a vector
  bool is_usable_ = false;
  std::vector<float> centre_;   // of the grid
  double step_ = 0;             // of the grid
  double largest_integer_ = 0;  // of a vector on the grid
  LargeMemory memory_;
  IntegerPair* packed_ = nullptr;  // in memory_: read from one end to the other for each batch
  std::vector<float> norms_;
  std::vector<double> residuals_;  // by word
  std::vector<WordId> words_;
  std::vector<std::uint32_t> place_of_;
  std::vector<std::uint32_t> chunk_begins_;
  double largest_norm_ = 0;  // of the grid points, in steps
  double largest_residual_ = 0;
};

}  // namespace sotto
