#pragma once
#include "lab/data_folder.h"

// Files that several experiments read. A file of one experiment is described where it is read.
namespace sotto::lab::data_files {

// One review per line, with its HTML; 50,000 without labels.
extern const DataFile kUnlabelledReviews;
// CSV with the columns `text` and `target` (1: about a disaster), and CSV with `text` alone.
extern const DataFile kTweets;
extern const DataFile kUnlabelledTweets;

}  // namespace sotto::lab::data_files
