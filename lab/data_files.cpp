#include "lab/data_files.h"

#include <nlohmann/json.hpp>

#include "sotto/error.h"

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

}  // namespace sotto::lab
