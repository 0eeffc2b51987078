#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/byte_stream.h"
#include "sotto/model.h"

namespace sotto {

// Maps a raw word of the file to the folded word to store, or nothing to drop it.
using WordRule = std::function<std::optional<std::string>(std::string_view)>;

enum class VectorFormat { detect, glove_text, word2vec_text, word2vec_binary, fasttext_bin, npm_json, npy };

struct ImportOptions {
  VectorFormat format = VectorFormat::detect;  // fastText .vec is word2vec text
  std::filesystem::path words;                 // npy, which needs it: one word per line, for each row
  std::size_t limit = 0;                       // 0: all; else the first N kept words
  std::vector<std::string> vocabulary;         // empty: all; else only these (folded) words
  bool alphabetic_only = false;                // drop words with anything but letters
  WordRule rule;                               // required
  // These go into the model's origin.
  std::string name;
  std::string source;   // empty: the format's name
  std::string licence;  // empty: unknown
};

// "GloVe text", ...; `detect` has none.
std::string_view vector_format_name(VectorFormat format);
// From a command line: detect, glove, word2vec, word2vec-binary, fasttext, npm-json, npy. Throws
// Error(usage) that lists them.
VectorFormat parse_vector_format(std::string_view text);

// Reads a file of vectors ("-": standard input; compression by magic bytes). Rows with NaN, infinity or
// another length are dropped and counted; if they are more than 1% of the rows the file is refused with the
// line (or record) number of the first one. Throws bad_data / input_output, or usage if
// a word list is missing or given for a file that needs none; never quotes the file.
std::shared_ptr<const Model> import_model(const std::filesystem::path& path, const ImportOptions& options);

// The same from a stream; `label` names it in messages.
std::shared_ptr<const Model> import_model(ByteSource& source, const std::string& label,
                                          const ImportOptions& options);

// A model of the first `limit` alphabetic words of another (the 50k default model).
std::shared_ptr<const Model> subset_alphabetic(const Model& model, std::size_t limit,
                                               const std::string& name);

}  // namespace sotto
