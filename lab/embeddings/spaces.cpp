#include "lab/embeddings/spaces.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/data_files.h"
#include "lab/privemb/lexicon.h"
#include "lab/subset.h"
#include "neighbours/kept_extremes.h"
#include "sotto/error.h"

namespace sotto::lab::embeddings {

namespace {

namespace fs = std::filesystem;

const DataFile& glove_300() {
  static const DataFile file = {
      .set = "GloVe 6B vectors of 300 dimensions (Pennington et al. 2014), 503 words",
      .names = {"embeddings/glove.6B.300d_top503.txt", "glove.6B.300d.txt"},
      .published = "nlp.stanford.edu/projects/glove"};
  return file;
}

std::shared_ptr<const Model> embedding_of(const Run& run, const std::string& name) {
  if (name == "glove-100") return run.model();
  if (name == "fasttext-300") return load_embedding(run.data(), data_files::kStandInVectors, name);
  if (name == "word2vec-300") return load_embedding(run.data(), data_files::kWord2vecVectors, name);
  if (name == "glove-300") return load_embedding(run.data(), glove_300(), name);
  throw Error(ErrorCode::internal, fmt::format("no embedding is named {}", name));
}

// By word of the first embedding, the numbers in all of them.
std::vector<std::vector<WordId>> common_words(const std::vector<std::shared_ptr<const Model>>& models) {
  std::vector<std::vector<WordId>> found(models.size());
  const Model& first = *models.front();
  for (std::size_t i = 0; i < first.size(); ++i) {
    std::vector<WordId> ids;
    for (const auto& model : models) {
      if (const auto id = model->find(first.word(word_id(i)))) ids.push_back(*id);
    }
    if (ids.size() < models.size()) continue;
    for (std::size_t m = 0; m < models.size(); ++m) found[m].push_back(ids[m]);
  }
  return found;
}

}  // namespace

std::vector<NamedSpace> spaces_of(const Run& run, const Settings& settings, const Group& group) {
  std::vector<std::shared_ptr<const Model>> models;
  for (const std::string& name : group.embeddings) models.push_back(embedding_of(run, name));
  const std::vector<std::vector<WordId>> words = common_words(models);
  tell(fmt::format("{}: {} common words of {} embeddings", group.name, words.front().size(), models.size()));
  std::vector<NamedSpace> spaces;
  for (std::size_t m = 0; m < models.size(); ++m) {
    const std::string& name = group.embeddings[m];
    const fs::path path = run.request().output / fmt::format("{}-{}.sotto", group.name, name);
    const auto model = subset_of(*models[m], words[m], fmt::format(", the words of group {}", group.name),
                                 {.path = path, .cache = run.request().cache});
    const auto add = [&](const std::string& metric) {
      spaces.push_back({.group = group.name, .embedding = name, .metric = metric, .model = model});
    };
    add("euclidean");
    if (m == 0) std::ranges::for_each(settings.metrics, add);
  }
  return spaces;
}

Labels polarity_of(const DataFolder& data, const std::shared_ptr<const Model>& model) {
  const Lexicon lexicon = load_lexicon(data, model);
  std::vector<WordLabel> pairs;
  const auto add = [&](const std::vector<WordId>& words, const char* label) {
    for (const WordId id : words) pairs.push_back({.word = std::string(model->word(id)), .label = label});
  };
  add(lexicon.positive, "positive");
  add(lexicon.negative, "negative");
  return labels_of(model, pairs);
}

Points::Row size_row(const NamedSpace& named, const Labels& labels, unsigned threads) {
  const auto space = Space::make(named.model, parse_metric(named.metric));
  const Extremes extremes = kept_extremes(*space, threads);
  // Every word to all others: the medians and means of tables are exact.
  std::vector<double> nearest;
  std::vector<double> row(space->size());
  double sum = 0;
  for (std::size_t w = 0; w < space->size(); ++w) {
    space->distances_from(word_id(w), row);
    for (const double distance : row) sum += distance;
    row[w] = extremes.largest;
    nearest.push_back(*std::ranges::min_element(row));
  }
  const auto half = nearest.begin() + static_cast<std::ptrdiff_t>(nearest.size() / 2);
  std::ranges::nth_element(nearest, half);
  const double n = static_cast<double>(space->size());
  return {.keys = named.keys(),
          .values = {n, static_cast<double>(named.model->dim()), extremes.smallest, *half,
                     sum / (n * (n - 1)), extremes.largest, static_cast<double>(labels.labelled)}};
}

}  // namespace sotto::lab::embeddings
