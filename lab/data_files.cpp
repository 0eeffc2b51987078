#include "lab/data_files.h"

#include <nlohmann/json.hpp>

#include "model/import.h"
#include "sotto/byte_stream.h"
#include "sotto/error.h"
#include "text/words.h"

namespace sotto::lab::data_files {

const DataFile kUnlabelledReviews = {
    .set = "unlabelled IMDB reviews (Maas et al. 2011)",
    .names = {"imdb/imdb_unsup.txt"},
    .published = "the folder train/unsup of aclImdb_v1.tar.gz, one review per line"};
const DataFile kTweets = {.set = "disaster tweets",
                          .names = {"disaster_tweets/train.csv", "nlp-getting-started/train.csv"},
                          .published = "Kaggle, \"Natural Language Processing with Disaster Tweets\""};
const DataFile kUnlabelledTweets = {.set = "disaster tweets",
                                    .names = {"disaster_tweets/test.csv", "nlp-getting-started/test.csv"},
                                    .published =
                                        "Kaggle, \"Natural Language Processing with Disaster "
                                        "Tweets\""};
const DataFile kStandInVectors = {
    .set = "fastText vectors of film reviews (a stand-in)",
    .names = {"embeddings/derived/fasttext.imdb-unsup.300d_40k.vec"},
    .published =
        "nowhere: train them with fastText (skip-gram, 300 dimensions, the 40,000 most frequent words) "
        "on the unlabelled IMDB reviews"};
const DataFile kWord2vecVectors = {
    .set = "word2vec vectors (Mikolov et al. 2013), 8,000 words",
    .names = {"embeddings/word2vec.GoogleNews.300d_8k.vec"},
    .published =
        "code.google.com/archive/p/word2vec, GoogleNews-vectors-negative300, 8,000 frequent words as "
        "text"};

}  // namespace sotto::lab::data_files

namespace sotto::lab {

Substitutes read_substitutes(const DataFolder& data) {
  const nlohmann::json listed = nlohmann::json::parse(
      data.read({.set = "allowed word substitutions",
                 .names = {"counterfitted/counterfitted_neighbors.json", "data/counterfitted_neighbors.json"},
                 .published = "the code of Jia et al. 2019 (robinjia/certified-word-sub)"}),
      nullptr, false);
  if (!listed.is_object()) {
    throw Error(ErrorCode::bad_data, "the allowed word substitutions are not a JSON object of lists");
  }
  Substitutes out;
  for (const auto& [word, neighbours] : listed.items()) {
    if (!neighbours.is_array()) continue;
    std::vector<std::string>& own = out[word];
    for (const nlohmann::json& neighbour : neighbours) {
      if (neighbour.is_string()) own.push_back(neighbour.get<std::string>());
    }
  }
  return out;
}

std::shared_ptr<const Model> load_embedding(const DataFolder& data, const DataFile& file,
                                            const std::string& name) {
  const std::unique_ptr<ByteSource> source = source_of_string(data.read(file));
  ImportOptions options;
  options.rule = importable_word;
  options.name = name;
  return import_model(*source, name, options);
}

}  // namespace sotto::lab
