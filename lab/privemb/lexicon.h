#pragma once
#include <memory>
#include <vector>

#include "lab/data_folder.h"
#include "sotto/model.h"

namespace sotto::lab {

// The opinion lexicon of Hu and Liu (2004) as far as a model has its words, in the order of the lists. A word
// that is in both lists is in neither here.
struct Lexicon {
  std::vector<WordId> positive = {};
  std::vector<WordId> negative = {};
  std::size_t positive_listed = 0;  // lines of the files
  std::size_t negative_listed = 0;
};
// Throws Error(input_output) with the name of a missing list and where it is published.
Lexicon load_lexicon(const DataFolder& data, const std::shared_ptr<const Model>& model);

}  // namespace sotto::lab
