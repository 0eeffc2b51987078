#pragma once
#include <map>
#include <string>
#include <vector>

#include "lab/data_folder.h"

// Files that several experiments read. A file of one experiment is described where it is read.
namespace sotto::lab::data_files {

// One review per line, with its HTML; 50,000 without labels.
extern const DataFile kUnlabelledReviews;
// CSV with the columns `text` and `target` (1: about a disaster), and CSV with `text` alone.
extern const DataFile kTweets;
extern const DataFile kUnlabelledTweets;

}  // namespace sotto::lab::data_files

namespace sotto::lab {

// The counter-fitted substitutes of words (Alzantot et al. 2018, as Jia et al. 2019 use them): at most eight
// each, none for many words. Throws Error(bad_data) if the file is no JSON object.
using Substitutes = std::map<std::string, std::vector<std::string>>;
Substitutes read_substitutes(const DataFolder& data);

}  // namespace sotto::lab
