#pragma once
#include <cstddef>
#include <span>
#include <vector>

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
  explicit NearestWords(const Model& model) : model_(model) {}
  // out has `k` neighbours, nearest first, for each vector in `noisy`; vectors are padded with zeros to
  // model.stride() values. 1 <= k <= model.size(). Vectors of one call share the passes over the model.
  void find(std::span<const double> noisy, std::size_t k, std::span<Neighbour> out) const;

 private:
  const Model& model_;
};

}  // namespace sotto
