#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>

#include "neighbours/nearest.h"
#include "neighbours/noisy_vectors.h"

namespace sotto {

// Words near to noisy vectors, most often but not always the nearest: a walk over a graph of the public
// vectors (HNSW). It has no entry point for a word or a plain vector: an approximate answer is allowed only
// as post-processing of noise (mechanisms.md section 1). The graph and where a walk starts depend on the
// model alone.
class ApproximateNearest {
 public:
  // Words that a walk keeps in view. A model with no more words is searched exactly.
  static constexpr std::size_t kWidth = 64;

  // Does nothing yet; the first search builds the graph, on one thread and without fresh coins, so that a
  // seeded run can be repeated: some 0.2 to 0.5 ms for each word. `model` must outlive this.
  explicit ApproximateNearest(const Model& model);
  ~ApproximateNearest();
  ApproximateNearest(const ApproximateNearest&) = delete;
  ApproximateNearest& operator=(const ApproximateNearest&) = delete;

  // out has `k` different words for each of the first out.size() / k vectors, ordered by (exact squared
  // distance, index); 1 <= k <= model.size(). Thread-safe. Throws Error(internal) if the graph fails.
  void find(const NoisyVectors& noisy, std::size_t k, std::span<Neighbour> out) const;

 private:
  struct Graph;
  const Graph& graph() const;

  const Model& model_;
  mutable std::once_flag built_;
  mutable std::unique_ptr<const Graph> graph_;
};

}  // namespace sotto
