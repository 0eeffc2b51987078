#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "neighbours/nearest_bytes.h"
#include "sotto/model.h"

namespace sotto {

struct Neighbour {
  WordId word{};
  double squared = 0;  // squared Euclidean distance
};

// The words nearest (Euclidean) to a vector that already carries noise, exactly; ties go by index.
// Post-processing: the answer depends on the noisy vector and public data alone. It never sees the input
// word, and its type gives it no way to.
class NearestWords {
 public:
  // O(n dim): rounds the words to bytes for the first pass of `find`.
  explicit NearestWords(const Model& model) : model_(model), bytes_(model) {}
  // out has `k` neighbours, nearest first, for each vector in `noisy`; vectors are padded with zeros to
  // model.stride() values. 1 <= k <= model.size(). Vectors of one call share the passes over the model.
  // Every SIMD target gives the same words and the same bits of `squared`.
  void find(std::span<const double> noisy, std::size_t k, std::span<Neighbour> out) const;
  // The same, and how many words' distances were computed in the end, over all vectors.
  std::size_t find_counting(std::span<const double> noisy, std::size_t k, std::span<Neighbour> out) const;

 private:
  const Model& model_;
  ByteWords bytes_;
};

// The definition of the above: all distances, no first pass. Quicker only for a single search.
void scan_nearest(const Model& model, std::span<const double> vectors, std::size_t k,
                  std::span<Neighbour> out);

}  // namespace sotto
