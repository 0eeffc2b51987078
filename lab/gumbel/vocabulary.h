#pragma once
#include <memory>
#include <string>

#include "lab/gumbel/data.h"
#include "lab/run.h"
#include "lab/tem/corpus.h"
#include "sotto/model.h"

namespace sotto::lab::gumbel {

// The domain of the mechanisms: the words of the run's model that occur in public texts of the data set's
// kind. For IMDB these are the 50,000 unlabelled reviews, for SNLI the development pairs. Training and test
// texts do not decide it, because a vocabulary that is collected from private texts is a release of them.
// Kept as <output>/vocabulary-<name>.sotto, in the order of the run's model.
std::shared_ptr<const Model> vocabulary_of(const Run& run, const std::string& name);

// One part of a data set in words of its vocabulary. Unknown words are the anchor word, as in every release.
struct Part {
  Corpus texts;     // what may be changed: reviews, hypotheses
  Corpus premises;  // empty for IMDB
};
struct DataSet {
  std::string name;
  std::size_t classes;
  std::shared_ptr<const Model> vocabulary;
  Part train;
  Part dev;
  Part test;
};
DataSet tokenised(const RawData& raw, const std::shared_ptr<const Model>& vocabulary, unsigned threads);

}  // namespace sotto::lab::gumbel
