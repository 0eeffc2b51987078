#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lab/data_folder.h"
#include "sotto/model.h"

// Files that several experiments read. A file of one experiment is described where it is read.
namespace sotto::lab::data_files {

// One review per line, with its HTML; 50,000 without labels.
extern const DataFile kUnlabelledReviews;
// CSV with the columns `text` and `target` (1: about a disaster), and CSV with `text` alone.
extern const DataFile kTweets;
extern const DataFile kUnlabelledTweets;
// Embeddings of 300 dimensions as text. The stand-in is fastText skip-gram, trained by us.
extern const DataFile kStandInVectors;
extern const DataFile kWord2vecVectors;

}  // namespace sotto::lab::data_files

namespace sotto::lab {

// The counter-fitted substitutes of words (Alzantot et al. 2018, as Jia et al. 2019 use them): at most eight
// each, none for many words. Throws Error(bad_data) if the file is no JSON object.
using Substitutes = std::map<std::string, std::vector<std::string>>;
Substitutes read_substitutes(const DataFolder& data);

// The embedding of a file, imported by the code of `sotto model import`. `name` is what the model says of its
// origin.
std::shared_ptr<const Model> load_embedding(const DataFolder& data, const DataFile& file,
                                            const std::string& name);

}  // namespace sotto::lab
