#include "model/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/descriptor.h"
#include "core/npy.h"
#include "model/loaders.h"
#include "model/model_header.h"
#include "model/text_row.h"
#include "model/unicode.h"
#include "sotto/error.h"

namespace sotto {
namespace {

struct FormatRow {
  VectorFormat format;
  std::string_view option;
  std::string_view name;
  std::string_view row_unit;
  void (*load)(VectorReader&, ModelBuilder&);  // none: needs the word list too
};
constexpr std::array<FormatRow, 6> kFormats = {{
    {VectorFormat::glove_text, "glove", "GloVe text", "line", load_glove_text},
    {VectorFormat::word2vec_text, "word2vec", "word2vec text", "line", load_word2vec_text},
    {VectorFormat::word2vec_binary, "word2vec-binary", "word2vec binary", "record", load_word2vec_binary},
    {VectorFormat::fasttext_bin, "fasttext", "fastText .bin", "record", load_fasttext_bin},
    {VectorFormat::npm_json, "npm-json", "npm JSON", "record", load_npm_json},
    {VectorFormat::npy, "npy", "NumPy .npy", "row", nullptr},
}};

const FormatRow& row_of(VectorFormat format) {
  return *std::find_if(kFormats.begin(), kFormats.end(),
                       [&](const FormatRow& row) { return row.format == format; });
}

// Files that people take for vectors, known by their first bytes.
struct Foreign {
  std::string_view magic;
  std::string_view advice;
};
constexpr std::string_view kSottoMagic(kModelMagic.data(), 5);
constexpr std::array<Foreign, 4> kForeign = {{
    {kSottoMagic, "it is a .sotto model already; use it as it is"},
    {"PK\x03\x04", "it is a zip archive; unpack it with unzip first"},
    {"\xfd"
     "7zXZ",
     "it is compressed with xz; unpack it with unxz first"},
    {"BZh", "it is compressed with bzip2; unpack it with bunzip2 first"},
}};

// Binary floats nearly always hold control bytes; where they do not, they are not UTF-8, and do not
// end a line with a number.
bool looks_textual(std::string_view bytes) {
  const auto is_binary = [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\r' && c != '\n') || c == 0x7f;
  };
  if (std::any_of(bytes.begin(), bytes.end(), is_binary)) return false;
  const std::size_t newline = bytes.rfind('\n');  // beyond it a code point may be cut
  if (newline != std::string_view::npos && is_valid_utf8(bytes.substr(0, newline))) return true;
  TextRow row;
  std::string_view line = bytes.substr(0, bytes.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  row.parse(line);
  return !row.vector.empty();
}

VectorFormat detect(VectorReader& reader) {
  constexpr std::size_t kWindow = 1 << 16;
  const std::string_view bytes = reader.peek(kWindow);
  if (bytes.empty()) {
    throw Error(ErrorCode::bad_data,
                fmt::format("{}: the file is empty; give a file of vectors", reader.label()));
  }
  for (const Foreign& foreign : kForeign) {
    if (bytes.starts_with(foreign.magic)) {
      throw Error(ErrorCode::bad_data, fmt::format("{}: {}", reader.label(), foreign.advice));
    }
  }
  if (bytes.starts_with(kFasttextMagic)) return VectorFormat::fasttext_bin;
  if (bytes.starts_with(kNpyMagic)) return VectorFormat::npy;
  const std::size_t newline = std::min(bytes.find('\n'), bytes.size());
  std::string_view line = bytes.substr(0, newline);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (parse_word2vec_header(line)) {
    const bool is_text = looks_textual(bytes.substr(std::min(newline + 1, bytes.size())));
    return is_text ? VectorFormat::word2vec_text : VectorFormat::word2vec_binary;
  }
  // A GloVe file may have the word "{", but then numbers end its line.
  TextRow row;
  row.parse(line);
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string_view::npos && bytes[first] == '{' && row.vector.empty();
  return is_json ? VectorFormat::npm_json : VectorFormat::glove_text;
}

std::string label_of(const std::filesystem::path& path) {
  return path == "-" ? "standard input" : shown(path.string());
}

void check_words(const FormatRow& row, const std::string& label, const ImportOptions& options) {
  const bool needs_words = row.format == VectorFormat::npy;
  if (needs_words == !options.words.empty()) return;
  throw Error(ErrorCode::usage,
              needs_words
                  ? fmt::format("{}: a NumPy array has no words; give `words` FILE, a text with one word "
                                "per line for each row",
                                label)
                  : fmt::format("{}: `words` is for .npy files only, but this one, read as {}, has words "
                                "of its own; leave it out",
                                label, row.name));
}

}  // namespace

std::string_view vector_format_name(VectorFormat format) {
  return format == VectorFormat::detect ? std::string_view() : row_of(format).name;
}

VectorFormat parse_vector_format(std::string_view text) {
  if (text == "detect") return VectorFormat::detect;
  std::string known = "detect";
  for (const FormatRow& row : kFormats) {
    if (row.option == text) return row.format;
    known.append(", ").append(row.option);
  }
  throw Error(ErrorCode::usage,
              fmt::format("no format of vectors is called {}; allowed: {} (fastText .vec files are "
                          "word2vec)",
                          shown(text), known));
}

std::shared_ptr<const Model> import_model(const std::filesystem::path& path, const ImportOptions& options) {
  const std::unique_ptr<ByteSource> source = open_source(path);
  return import_model(*source, label_of(path), options);
}

std::shared_ptr<const Model> import_model(ByteSource& source, const std::string& label,
                                          const ImportOptions& options) {
  VectorReader reader(source, label);
  ModelBuilder builder(options, label);
  const VectorFormat format = options.format == VectorFormat::detect ? detect(reader) : options.format;
  const FormatRow& row = row_of(format);
  check_words(row, label, options);
  if (row.format == VectorFormat::npy) {
    const std::unique_ptr<ByteSource> words = open_source(options.words);
    VectorReader word_reader(*words, label_of(options.words));
    load_npy(reader, word_reader, builder);
  } else {
    row.load(reader, builder);
  }
  return builder.finish(row.name, row.row_unit);
}

std::shared_ptr<const Model> subset_alphabetic(const Model& model, std::size_t limit,
                                               const std::string& name) {
  std::vector<std::string> words;
  std::vector<float> vectors;
  for (std::size_t i = 0; i < model.size() && words.size() < limit; ++i) {
    const std::string_view word = model.word(word_id(i));
    if (!is_alphabetic(word)) continue;
    const auto vector = model.vector(word_id(i));
    words.emplace_back(word);
    vectors.insert(vectors.end(), vector.begin(), vector.end());
  }
  if (words.empty()) {
    throw Error(ErrorCode::bad_data, "the model has no word of letters only; use it whole");
  }
  ModelOrigin origin = model.origin();
  origin.name = name;
  origin.dropped_by_request += model.size() - words.size();
  return Model::from_words(words, vectors, model.dim(), origin);
}

}  // namespace sotto
