#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/data_folder.h"

namespace sotto::lab {

// Labelled texts in the order of their file (of the names of their files).
struct LabelledTexts {
  std::vector<std::string> texts;
  std::vector<std::uint8_t> labels;  // 1: positive
  // The part of the certified-robustness split (Jia et al. 2019) that each text belongs to, from the column
  // `jia_split`. Empty where the file has no such column.
  std::vector<std::string> splits = {};
};

// One half of the IMDB reviews as it lies in a data folder: imdb/imdb_train.tsv (columns `label` and `text`
// among others), or the published aclImdb/train/{pos,neg}/*.txt.
class ImdbPart {
 public:
  // `part`: "train" or "test". Throws Error(input_output) that says where the set is published.
  ImdbPart(const DataFolder& data, std::string_view part);

  // SHA-256 of the file as it is stored; of the texts, for a folder of them.
  [[nodiscard]] std::string checksum() const;
  // With their HTML. Throws Error(bad_data) with the line, never its text.
  [[nodiscard]] LabelledTexts read() const;

 private:
  std::filesystem::path place_;  // a file, or the folder with pos/ and neg/
};

}  // namespace sotto::lab
