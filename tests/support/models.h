#pragma once
// Small public models for tests.
#include <memory>
#include <string>
#include <vector>

#include "core/samplers.h"
#include "sotto/model.h"
#include "sotto/rng.h"

namespace sotto::test {

// Words on a line, named "w0", "w1", ...
inline std::shared_ptr<const Model> line_model(const std::vector<float>& places) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < places.size(); ++i) words.push_back("w" + std::to_string(i));
  return Model::from_words(words, places, 1);
}

// Places with different gaps.
inline const std::vector<float> kLine = {0, 1, 2.5F, 4};

inline std::shared_ptr<const Model> soup_model() {
  return Model::from_words({"the", "soup", "was", "cold"}, {0, 1, 2, 3}, 1);
}

struct GaussianModel {
  std::size_t words = 0;
  std::size_t dim = 0;
  double scale = 1;
  std::uint64_t seed = 1;
};
inline std::shared_ptr<const Model> gaussian_model(const GaussianModel& shape) {
  Rng rng = Rng::seeded_not_private(shape.seed);
  std::vector<std::string> words;
  std::vector<float> vectors;
  for (std::size_t i = 0; i < shape.words; ++i) {
    words.push_back("w" + std::to_string(i));
    for (std::size_t j = 0; j < shape.dim; ++j)
      vectors.push_back(static_cast<float>(shape.scale * gaussian(rng)));
  }
  return Model::from_words(words, vectors, shape.dim);
}

}  // namespace sotto::test
