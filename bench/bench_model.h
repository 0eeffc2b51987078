#pragma once
// The model that benchmarks run on: SOTTO_BENCH_MODEL=path.sotto, or a synthetic one, so that they run
// anywhere.
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "core/samplers.h"
#include "sotto/model.h"

namespace sotto::bench {

// A mixture of Gaussians, of the size of the GloVe 6B vocabulary.
inline std::shared_ptr<const Model> synthetic_model() {
  constexpr std::size_t kWords = 341479;
  constexpr std::size_t kDim = 100;
  constexpr std::size_t kCentres = 500;
  Rng rng = Rng::seeded_not_private(1);
  std::vector<float> centres(kCentres * kDim);
  for (float& value : centres) value = static_cast<float>(0.35 * gaussian(rng));
  std::vector<std::string> words;
  std::vector<float> vectors;
  vectors.reserve(kWords * kDim);
  for (std::size_t i = 0; i < kWords; ++i) {
    words.push_back(fmt::format("w{}", i));
    const float* centre = centres.data() + i % kCentres * kDim;
    for (std::size_t j = 0; j < kDim; ++j) {
      vectors.push_back(centre[j] + static_cast<float>(0.35 * gaussian(rng)));
    }
  }
  return Model::from_words(words, vectors, kDim);
}

// With SOTTO_BENCH_CACHE, what `sotto model prepare` left there is found.
inline std::shared_ptr<const Model> open_model() {
  const char* path = std::getenv("SOTTO_BENCH_MODEL");
  const char* cache = std::getenv("SOTTO_BENCH_CACHE");
  return path != nullptr ? Model::open(path, cache != nullptr ? cache : "") : synthetic_model();
}

// Its first words, with the first coordinates of their vectors.
inline std::shared_ptr<const Model> part_of(const Model& model, std::size_t count, std::size_t dim) {
  std::vector<std::string> words;
  std::vector<float> vectors;
  for (std::size_t i = 0; i < count; ++i) {
    words.emplace_back(model.word(word_id(i)));
    const auto vector = model.vector(word_id(i)).first(dim);
    vectors.insert(vectors.end(), vector.begin(), vector.end());
  }
  return Model::from_words(words, vectors, dim);
}

}  // namespace sotto::bench
