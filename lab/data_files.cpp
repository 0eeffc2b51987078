#include "lab/data_files.h"

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
