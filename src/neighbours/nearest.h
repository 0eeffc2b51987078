#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "sotto/model.h"

namespace sotto {

// The word nearest (Euclidean) to a vector that already carries noise, exactly; ties go to the lower
// index. Post-processing: the answer depends on the noisy vector and public data alone. It never sees
// the input word, and its type gives it no way to.
class NearestWord {
 public:
  explicit NearestWord(const Model& model) : model_(model) {}
  // out[i] is the word nearest to the i-th of out.size() vectors in `noisy`, each padded with zeros to
  // model.stride() values. Vectors of one call share the passes over the model.
  void find(std::span<const double> noisy, std::span<WordId> out) const;

 private:
  const Model& model_;
};

}  // namespace sotto
