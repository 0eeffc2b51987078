#include "lab/vickrey/embeddings.h"

#include <fmt/format.h>

#include <set>

#include "lab/data_files.h"
#include "lab/kept_domain.h"
#include "lab/vickrey/settings.h"
#include "sotto/error.h"
#include "text/lookup.h"

namespace sotto::lab::vickrey {

namespace {

std::shared_ptr<const Model> imported(const DataFolder& data, const std::string& name) {
  if (name == kStandIn) {
    return load_embedding(data, data_files::kStandInVectors,
                          "fastText stand-in, 300 dimensions, trained on unlabelled IMDB reviews");
  }
  if (name == kWord2vec) {
    return load_embedding(data, data_files::kWord2vecVectors,
                          "word2vec GoogleNews, 300 dimensions, 8,000 words");
  }
  throw Error(ErrorCode::internal, "no such vectors of the experiment");
}

}  // namespace

std::shared_ptr<const Model> load_vectors(const Run& run, const std::string& name) {
  if (name == kGlove) return run.model();
  const std::filesystem::path path = run.request().output / fmt::format("vectors-{}.sotto", name);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    imported(run.data(), name)->save(path, Model::Existing::replace);
  }
  return Model::open(path, run.request().cache);
}

Domain make_domain(const Run& run, const std::string& name, const Model& vectors, std::vector<WordId> words) {
  if (words.size() < 2) {
    throw Error(ErrorCode::bad_data, fmt::format("{}: the vectors have fewer than two of its words", name));
  }
  Domain domain{.model = kept_domain(run, name, vectors, words), .rows = std::move(words), .places = {}};
  domain.places.assign(vectors.size(), Domain::kOutside);
  for (std::size_t i = 0; i < domain.rows.size(); ++i) {
    domain.places[index_of(domain.rows[i])] = static_cast<std::int32_t>(i);
  }
  return domain;
}

CounterfittedWords counterfitted_words(const DataFolder& data, const std::shared_ptr<const Model>& vectors) {
  const Lookup lookup(vectors);
  CounterfittedWords out;
  std::set<WordId> found;
  for (const auto& [word, substitutes] : read_substitutes(data)) {
    if (substitutes.empty()) continue;
    ++out.listed;
    if (const auto id = lookup.find(word)) found.insert(*id);
  }
  out.words.assign(found.begin(), found.end());
  return out;
}

}  // namespace sotto::lab::vickrey
