#pragma once
#include <cstddef>
#include <filesystem>
#include <string>

#include "core/guarded_folder.h"

namespace sotto::lab {

// What decides skip-gram vectors besides their text. The rest are fastText's defaults.
struct SkipGramTraining {
  std::size_t dim = 0;
  std::size_t epochs = 1;
  std::size_t least_count = 10;  // rarer words get no vector
};

// Whether there is a program `fasttext` (Debian's package of that name).
bool has_fasttext();
// The command as it is run, with TEXT and VECTORS for the files. One thread: the vectors are then the same
// each time. No subwords: a word's vector comes from the places where it occurs.
std::string skipgram_command(const SkipGramTraining& training);

// Trains vectors of a text (tokens between spaces) and stores them as a model, whole or not at all. Files
// that fasttext writes are in `work`; it ends if this process dies. All dimensions of one text have the same
// words in the same order. Throws Error(input_output) if fasttext is missing or fails.
void train_skipgram(const std::filesystem::path& text, const SkipGramTraining& training, GuardedFolder& work,
                    const std::filesystem::path& model);

}  // namespace sotto::lab
