#pragma once
#include "model/model_builder.h"
#include "model/vector_reader.h"

// One function per file format, each in load_<format>.cpp. They read to the end of the file and throw
// Error(bad_data) on a damaged one. Counts that a file states are compared with what it holds, never
// used to allocate.
namespace sotto {

// No header; rows are counted by line.
void load_glove_text(VectorReader& reader, ModelBuilder& builder);
// Header `rows dim`, then as GloVe; fastText's .vec is the same.
void load_word2vec_text(VectorReader& reader, ModelBuilder& builder);
// The same header; a record is the word, a space, dim little-endian float32, and perhaps a newline.
void load_word2vec_binary(VectorReader& reader, ModelBuilder& builder);
// {"dimensions":d, "words":[in frequency order], "vectors":{word:[d numbers, norm, index]}}.
void load_npm_json(VectorReader& reader, ModelBuilder& builder);
// A NumPy matrix, one row per word, and a text of as many lines, each a word.
void load_npy(VectorReader& reader, VectorReader& word_reader, ModelBuilder& builder);
// fastText's own model file, not quantised; n-grams are taken into account, labels are not words.
void load_fasttext_bin(VectorReader& reader, ModelBuilder& builder);
inline constexpr std::string_view kFasttextMagic = "\xba\x16\x4f\x2f";

// The header line of both word2vec formats.
struct Word2vecHeader {
  std::uint64_t rows;
  std::uint64_t dim;
};
std::optional<Word2vecHeader> parse_word2vec_header(std::string_view line);
// Reads it. Throws Error(bad_data) if the line is something else.
Word2vecHeader read_word2vec_header(VectorReader& reader);
// Throws Error(bad_data) unless the file held as many rows as its header promised.
void check_row_count(const Word2vecHeader& header, std::uint64_t rows, const VectorReader& reader);

}  // namespace sotto
