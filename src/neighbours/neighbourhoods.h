#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "neighbours/clusters.h"
#include "neighbours/score_table.h"
#include "sotto/space.h"

namespace sotto {

// What exact sampling needs to know of one word, independent of epsilon and gamma (docs/specification.md
// section 4.3). Views into a record.
struct Neighbourhood {
  // The head: the first K of all words in the order (distance, index), the word itself among them.
  std::span<const double> distances;
  std::span<const WordId> words;
  // By cluster: the smallest distance of its members outside the head, rounded down to float32; infinity if
  // it has none.
  std::span<const float> nearest;
  // Clusters in descending order of `nearest`.
  std::span<const std::uint16_t> far_first;
};

// The same layout in memory and in the prepared file: distances, words, nearest, far_first.
class NeighbourhoodLayout {
 public:
  NeighbourhoodLayout(std::size_t head, std::size_t clusters) : head_(head), clusters_(clusters) {}
  [[nodiscard]] std::size_t head() const noexcept { return head_; }
  [[nodiscard]] std::size_t clusters() const noexcept { return clusters_; }
  // In 8-byte units.
  [[nodiscard]] std::size_t record_size() const noexcept;
  [[nodiscard]] Neighbourhood view(const std::uint64_t* record) const;

 private:
  std::size_t head_;
  std::size_t clusters_;
};

// Builds neighbourhoods, several words in one pass over the vectors: scores with an error bound find
// the candidates, exact distances decide among them. The result is exact and the same on every machine.
class Neighbourhoods {
 public:
  static constexpr std::size_t kHead = 128;
  static constexpr std::size_t kBatch = 48;  // words that one pass serves best

  Neighbourhoods(std::shared_ptr<const Space> space, Clusters clusters);

  [[nodiscard]] const Space& space() const noexcept { return *space_; }
  [[nodiscard]] const Clusters& clusters() const noexcept { return clusters_; }
  [[nodiscard]] const NeighbourhoodLayout& layout() const noexcept { return layout_; }
  // records.size() == words.size() * layout().record_size(). Thread-safe.
  void build(std::span<const WordId> words, std::span<std::uint64_t> records) const;

 private:
  struct Draft;
  void draft_by_scores(WordId word, std::span<float> scores, std::span<float> minima, Draft& draft) const;
  void draft_by_distances(WordId word, Draft& draft) const;
  void write(Draft& draft, std::uint64_t* record) const;

  std::shared_ptr<const Space> space_;
  Clusters clusters_;
  NeighbourhoodLayout layout_;
  std::vector<std::uint16_t> cluster_of_;  // of each word
  // Made by the first build(); null: metrics other than Euclidean.
  mutable std::once_flag table_made_;
  mutable std::unique_ptr<const ScoreTable> table_;
};

}  // namespace sotto
