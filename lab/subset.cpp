#include "lab/subset.h"

#include <vector>

namespace sotto::lab {

std::shared_ptr<const Model> subset_of(const Model& model, std::span<const WordId> words,
                                       const std::string& note) {
  std::vector<std::string> texts;
  std::vector<float> vectors;
  for (const WordId id : words) {
    texts.emplace_back(model.word(id));
    const std::span<const float> vector = model.vector(id);
    vectors.insert(vectors.end(), vector.begin(), vector.end());
  }
  ModelOrigin origin = model.origin();
  origin.name += note;
  origin.dropped_by_request += model.size() - words.size();
  return Model::from_words(texts, vectors, model.dim(), origin);
}

std::shared_ptr<const Model> subset_of(const Model& model, std::span<const WordId> words,
                                       const std::string& note, const SubsetFile& file) {
  subset_of(model, words, note)->save(file.path, Model::Existing::replace);
  return Model::open(file.path, file.cache);
}

}  // namespace sotto::lab
