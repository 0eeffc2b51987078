#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lab/data_folder.h"
#include "sotto/model.h"

namespace sotto::lab {

// How SentEval (Conneau and Kiela 2018, tools/validation.py) splits a task and chooses the cost.
enum class Protocol {
  nested_folds,     // k-fold, and inside each training part k-fold again for the cost: MR, CR, MPQA
  train_dev_test,   // the cost by the dev set: SST-5
  folds_then_test,  // the cost by k-fold on the training set: TREC
};

struct Sentence {
  int label = 0;
  std::string text = {};
};

struct SentenceTask {
  std::string name = {};
  Protocol protocol = Protocol::nested_folds;
  int classes = 2;
  std::vector<Sentence> train = {};  // all of it, for nested_folds
  std::vector<Sentence> dev = {};
  std::vector<Sentence> test = {};
};

// "MR", "CR", "MPQA", "SST-5", "TREC-6".
const std::vector<std::string>& sentence_task_names();
// From the folder's senteval/ (each line `<label> <text>`) or from SentEval's downstream/. Throws
// Error(input_output) with the name of a missing file and where it is published, Error(bad_data) for a line
// without a label.
SentenceTask load_sentence_task(const DataFolder& data, std::string_view name);

// The sentences of a task as words of a model, and their labels. Rows: train, then dev, then test.
struct SentenceWords {
  std::vector<std::vector<WordId>> sentences = {};
  std::vector<int> labels = {};
  std::vector<std::uint32_t> train = {};
  std::vector<std::uint32_t> dev = {};
  std::vector<std::uint32_t> test = {};
  std::uint64_t tokens = 0;
  std::uint64_t unknown = 0;  // of these: left out, as SentEval's bag of words does
};
SentenceWords words_of(const SentenceTask& task, const std::shared_ptr<const Model>& model);

}  // namespace sotto::lab
