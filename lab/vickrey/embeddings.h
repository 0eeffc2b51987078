#pragma once
#include <memory>
#include <string>
#include <vector>

#include "lab/run.h"

namespace sotto::lab::vickrey {

// The vectors of that name (settings.h): the run's model, or a file of the data folder, imported by the code
// of `sotto model import` and kept in the run's folder as vectors-<name>.sotto.
std::shared_ptr<const Model> load_vectors(const Run& run, const std::string& name);

// Some words of an embedding: those that a mechanism may replace, and what it writes.
struct Domain {
  std::shared_ptr<const Model> model;  // of these words alone
  std::vector<WordId> rows;            // by word of `model`: the word of the embedding
  static constexpr std::int32_t kOutside = -1;
  std::vector<std::int32_t> places;  // by word of the embedding: the word of `model`, or kOutside
};
// Kept in the run's folder as domain-<name>.sotto.
Domain make_domain(const Run& run, const std::string& name, const Model& vectors, std::vector<WordId> words);

// The words of the counter-fitted list that have at least one substitute, as far as the embedding has them:
// the words "selected for adversarial model training" of Jia et al. 2019. In the order of the embedding.
struct CounterfittedWords {
  std::vector<WordId> words;
  std::size_t listed = 0;  // words of the list with a substitute
};
CounterfittedWords counterfitted_words(const DataFolder& data, const std::shared_ptr<const Model>& vectors);

}  // namespace sotto::lab::vickrey
