#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lab/data_folder.h"
#include "lab/tem/imdb.h"

// The lab's experiments of truncated-gumbel-2021, section 6.
namespace sotto::lab::gumbel {

// One part of a data set as it is read. For SNLI `texts` are the hypotheses, the only texts that may be
// changed, and premises[i] belongs to hypothesis i. IMDB has no premises.
struct RawPart {
  LabelledTexts texts;
  std::vector<std::string> premises = {};
};

struct RawData {
  std::string name;  // "imdb" or "snli"
  std::size_t classes;
  RawPart train;
  RawPart dev;
  RawPart test;
};

// The 20,000 / 5,000 split of Jia et al. 2019 (the column `jia_split` of imdb/imdb_train.tsv) and the 25,000
// test reviews. Throws Error(bad_data) if the column is missing.
RawData read_imdb(const DataFolder& data);

// The official dev and test pairs, and the training pairs that are at hand: three published subsets (18,000,
// 2,000 and 3,000 of 550,152) without the pairs that occur twice. Labels: 0 contradiction, 1 neutral, 2
// entailment.
RawData read_snli(const DataFolder& data);

// Public texts of the same kind, from which a vocabulary may be taken: the unlabelled reviews of IMDB. One
// text per line, with their HTML.
std::string read_unlabelled_reviews(const DataFolder& data);

}  // namespace sotto::lab::gumbel
