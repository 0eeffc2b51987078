#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sotto/byte_stream.h"
#include "sotto/model.h"

namespace sotto {

// A public label of some words of the model, such as the polarity of an opinion lexicon.
struct Labels {
  static constexpr std::int32_t kNone = -1;
  std::vector<std::string> names;  // of at least two labels
  std::vector<std::int32_t> of;    // by word of the model: index into names, or kNone
  std::size_t labelled = 0;        // words of the model with a label
  std::uint64_t entries = 0;       // lines, or pairs from memory
  std::uint64_t unknown = 0;       // of these, those that are no word of the model
  std::uint64_t conflicts = 0;     // words under several labels: they count as unlabelled
  std::uint64_t latin1_lines = 0;  // lines that are not UTF-8, read as Latin-1
};

// A file with one word per line, all of one label.
struct LabelList {
  std::string label;
  std::unique_ptr<ByteSource> source;
};
// Throw bad_data if no word matches, if fewer than two or more than 64 labels have words, or, with its
// number, for a line or a pair without a label.
Labels read_labels(const std::shared_ptr<const Model>& model, std::vector<LabelList> lists);
// Two columns, word and label (tab, comma or space between).
Labels read_labels(const std::shared_ptr<const Model>& model, ByteSource& pairs);
// The same from memory.
struct WordLabel {
  std::string word;
  std::string label;
};
Labels labels_of(const std::shared_ptr<const Model>& model, std::span<const WordLabel> pairs);

}  // namespace sotto
