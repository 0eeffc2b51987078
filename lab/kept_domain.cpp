#include "lab/kept_domain.h"

#include <fmt/format.h>

namespace sotto::lab {

std::shared_ptr<const Model> kept_domain(const Run& run, std::string_view name, const Model& from,
                                         std::span<const WordId> chosen) {
  std::vector<std::string> words;
  std::vector<float> vectors;
  for (const WordId word : chosen) {
    words.emplace_back(from.word(word));
    const std::span<const float> vector = from.vector(word);
    vectors.insert(vectors.end(), vector.begin(), vector.end());
  }
  ModelOrigin origin = from.origin();
  origin.name += fmt::format(", {} words for {}", words.size(), name);
  origin.dropped_by_request += from.size() - words.size();
  const std::filesystem::path path = run.request().output / fmt::format("domain-{}.sotto", name);
  Model::from_words(words, vectors, from.dim(), origin)->save(path, Model::Existing::replace);
  return Model::open(path, run.request().cache);
}

}  // namespace sotto::lab
