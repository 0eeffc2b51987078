#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>

#include "neighbours/nearest.h"
#include "neighbours/noisy_vectors.h"

namespace sotto {

// Words near to noisy vectors, not always the nearest (see below): a walk over a graph of the public
// vectors (HNSW). It has no entry point for a word or a plain vector: an approximate answer is allowed only
// as post-processing of noise (mechanisms.md section 1). The graph and where a walk starts depend on the
// model alone.
// Measured on GloVe, 100 dimensions, one core, against NearestWords; recall of the nearest word at epsilon 5,
// 10, 20:
//    50,000 words: 16 s to build, 0.3 ms a vector (exact: 0.03 ms), recall .59, .80, .97;
//   321,255 words: 8 min (busy machine), 0.4 ms (exact: 0.18 ms), recall .26, .26, .41.
class ApproximateNearest {
 public:
  // Words that a walk keeps in view. A model with no more words is searched exactly.
  static constexpr std::size_t kWidth = 64;

  // Does nothing yet; the first search builds the graph, on one thread and without fresh coins, so that a
  // seeded run can be repeated. `model` must outlive this.
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
