#pragma once
#include <memory>
#include <string>
#include <vector>

#include "lab/embeddings/settings.h"
#include "lab/run.h"
#include "sotto/labels.h"
#include "sotto/model.h"

namespace sotto::lab::embeddings {

// One embedding of a group under one metric. All spaces of a group have the same words in the same order.
struct NamedSpace {
  std::string group;
  std::string embedding;
  std::string metric;
  std::shared_ptr<const Model> model;
  [[nodiscard]] std::vector<std::string> keys() const { return {group, embedding, metric}; }
};

// The spaces of a group: each embedding with the Euclidean metric, the first one with the other metrics too.
// "glove-100" is the model of the run. The others are read from the data folder: "fasttext-300" (a stand-in,
// trained on the unlabelled reviews), "word2vec-300" (8,000 words) and "glove-300" (its 503 most frequent
// words). Kept as <output>/<group>-<embedding>.sotto. Throws Error(internal) for another name.
std::vector<NamedSpace> spaces_of(const Run& run, const Settings& settings, const Group& group);

// The opinion lexicon as labels of the words.
Labels polarity_of(const DataFolder& data, const std::shared_ptr<const Model>& model);

// A row of spaces.csv.
Points::Row size_row(const NamedSpace& space, const Labels& labels, unsigned threads);

}  // namespace sotto::lab::embeddings
