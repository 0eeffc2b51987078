#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/loaders.h"
#include "sotto/error.h"

// fastText's own model file, versions 11 and 12 (fastText 0.1 to 0.9): settings, dictionary, input matrix,
// output matrix, all little-endian. The vector of a word is not stored: it is the mean of the word's own row
// of the input matrix and of the rows that its character n-grams are hashed to (Bojanowski, Grave, Joulin and
// Mikolov 2017, "Enriching word vectors with subword information"). Sums are made in float, in the order of
// the n-grams, so that the vectors are fastText's to the last bit; a .vec file has the same, rounded.
// Limit: the n-grams of any word may be in any row, so the input matrix (up to 7 GB) is held in memory.
namespace sotto {
namespace {

static_assert(std::endian::native == std::endian::little, "fastText files are little-endian");

constexpr std::size_t kLongestEntry = std::size_t{1} << 16;
// The work grows with its square; fastText's default is 6.
constexpr std::int32_t kLongestNgram = 256;
constexpr std::string_view kEndOfSentence = "</s>";  // the one word without n-grams

[[noreturn]] void refuse(const VectorReader& reader, std::string_view reason) {
  throw Error(ErrorCode::bad_data, fmt::format("{}: {}", reader.label(), reason));
}
[[noreturn]] void refuse_cut(const VectorReader& reader, std::string_view part) {
  refuse(reader, fmt::format("the file ends in its {}: it is truncated; get a whole copy of it", part));
}
[[noreturn]] void refuse_damaged(const VectorReader& reader, std::string_view part) {
  refuse(reader,
         fmt::format("its {} does not fit the rest of the file, which is damaged or not a fastText .bin "
                     "file; get it again, or import its .vec file",
                     part));
}
[[noreturn]] void refuse_quantised(const VectorReader& reader) {
  refuse(reader,
         "it is a quantised fastText model (.ftz), which has lost the exact vectors; import the .bin or .vec "
         "file that it was made from");
}

template <typename Number>
Number take(VectorReader& reader, std::string_view part) {
  const std::string_view bytes = reader.peek(sizeof(Number));
  if (bytes.size() < sizeof(Number)) refuse_cut(reader, part);
  Number number{};
  std::memcpy(&number, bytes.data(), sizeof number);
  reader.skip(sizeof number);
  return number;
}

struct Settings {
  std::int32_t dim = 0;
  std::int32_t bucket = 0;
  std::int32_t shortest_ngram = 0;
  std::int32_t longest_ngram = 0;
  [[nodiscard]] bool has_ngrams() const noexcept { return bucket > 0 && longest_ngram > 0; }
};

Settings read_settings(VectorReader& reader) {
  constexpr std::string_view kPart = "settings";
  constexpr std::int32_t kSupervised = 3;
  if (!reader.peek(kFasttextMagic.size()).starts_with(kFasttextMagic)) {
    refuse(reader,
           "it is not a fastText .bin file (fastText .vec files are word2vec text); name the right format");
  }
  reader.skip(kFasttextMagic.size());
  const auto version = take<std::int32_t>(reader, kPart);
  if (version != 11 && version != 12) {
    refuse(reader,
           fmt::format("version {} of fastText's format, but 11 and 12 are known; import its .vec file",
                       version));
  }
  const auto number = [&] { return take<std::int32_t>(reader, kPart); };
  Settings out;
  out.dim = number();
  for (int unused = 0; unused < 6; ++unused) number();  // window, epochs, ... and the loss
  const std::int32_t kind = number();
  out.bucket = number();
  out.shortest_ngram = number();
  out.longest_ngram = number();
  number();                                                         // rate of updates
  take<double>(reader, kPart);                                      // sampling threshold
  if (version == 11 && kind == kSupervised) out.longest_ngram = 0;  // such classifiers had none
  if (out.bucket < 0 || out.longest_ngram > kLongestNgram) refuse_damaged(reader, "number of n-grams");
  return out;
}

// The word before a zero byte, which is consumed too.
std::string take_word(VectorReader& reader) {
  for (std::size_t wanted = 64;; wanted *= 2) {
    const std::string_view bytes = reader.peek(wanted);
    const std::size_t size = bytes.find('\0');
    if (size <= kLongestEntry) {
      std::string word(bytes.substr(0, size));
      reader.skip(size + 1);
      return word;
    }
    if (bytes.size() > kLongestEntry) refuse_damaged(reader, "dictionary");
    if (bytes.size() < wanted) refuse_cut(reader, "dictionary");
  }
}

// Words only: the labels of a classifier, which come last, are passed over.
std::vector<std::string> read_dictionary(VectorReader& reader) {
  constexpr std::string_view kPart = "dictionary";
  constexpr std::int8_t kWord = 0;
  constexpr std::int8_t kLabel = 1;
  const auto entries = take<std::int32_t>(reader, kPart);
  const auto word_count = take<std::int32_t>(reader, kPart);
  const auto label_count = take<std::int32_t>(reader, kPart);
  take<std::int64_t>(reader, kPart);  // tokens of the training text
  const auto pruned = take<std::int64_t>(reader, kPart);
  if (word_count < 0 || label_count < 0 || std::int64_t{word_count} + label_count != entries) {
    refuse_damaged(reader, kPart);
  }
  if (pruned >= 0) refuse_quantised(reader);  // only quantising prunes; -1 is "not pruned"
  std::vector<std::string> words;
  for (std::int32_t i = 0; i < entries; ++i) {
    std::string word = take_word(reader);
    take<std::int64_t>(reader, kPart);  // how often it occurred
    if (take<std::int8_t>(reader, kPart) != (i < word_count ? kWord : kLabel)) refuse_damaged(reader, kPart);
    if (i < word_count) words.push_back(std::move(word));
  }
  return words;
}

struct MatrixSize {
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
};
MatrixSize read_matrix_size(VectorReader& reader, std::string_view part) {
  const auto rows = take<std::int64_t>(reader, part);
  const auto cols = take<std::int64_t>(reader, part);
  // Two int32 counts make the rows; what is allowed here cannot overflow the size in bytes.
  if (rows < 0 || rows > std::int64_t{1} << 32 || cols < 0 || cols > std::int64_t{1} << 20)
    refuse_damaged(reader, part);
  return {static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(cols)};
}

// A matrix that grows by blocks as its bytes arrive: nothing is copied, and no more than one block is
// allocated ahead.
class Matrix {
 public:
  explicit Matrix(std::size_t cols)
      : cols_(cols), rows_per_block_(std::max<std::size_t>(1, (std::size_t{1} << 20) / cols)) {}

  void read_rows(VectorReader& reader, std::uint64_t rows, std::string_view part) {
    const std::size_t row_size = cols_ * sizeof(float);
    for (; rows > 0; --rows) {
      const std::string_view bytes = reader.peek(row_size);
      if (bytes.size() < row_size) refuse_cut(reader, part);
      const std::size_t place = rows_++ % rows_per_block_ * cols_;
      if (place == 0) blocks_.emplace_back(std::min<std::uint64_t>(rows_per_block_, rows) * cols_);
      std::memcpy(blocks_.back().data() + place, bytes.data(), row_size);
      reader.skip(row_size);
    }
  }
  [[nodiscard]] std::span<const float> row(std::size_t index) const {
    return std::span(blocks_[index / rows_per_block_]).subspan(index % rows_per_block_ * cols_, cols_);
  }

 private:
  std::size_t cols_;
  std::size_t rows_per_block_;
  std::size_t rows_ = 0;
  std::vector<std::vector<float>> blocks_;
};

void skip_bytes(VectorReader& reader, std::uint64_t size, std::string_view part) {
  while (size > 0) {
    const std::size_t there = std::min<std::uint64_t>(reader.peek(1).size(), size);
    if (there == 0) refuse_cut(reader, part);
    reader.skip(there);
    size -= there;
  }
}

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// The buckets of the n-grams of "<word>", from each character on the shorter first; "<" and ">" alone are
// none. FNV-1a, except that fastText extends the sign of each byte.
void find_ngrams(std::string_view word, const Settings& settings, std::vector<std::size_t>& buckets) {
  const std::string marked = fmt::format("<{}>", word);
  for (std::size_t first = 0; first < marked.size(); ++first) {
    if (continues_character(marked[first])) continue;
    std::uint32_t hash = 2166136261U;
    std::int32_t characters = 0;
    for (std::size_t i = first; i < marked.size(); ++i) {
      hash = (hash ^ static_cast<std::uint32_t>(static_cast<signed char>(marked[i]))) * 16777619U;
      const std::size_t next = i + 1;
      if (next < marked.size() && continues_character(marked[next])) continue;
      if (++characters > settings.longest_ngram) break;
      const bool is_mark = characters == 1 && (first == 0 || next == marked.size());
      if (characters < settings.shortest_ngram || is_mark) continue;
      buckets.push_back(hash % static_cast<std::uint32_t>(settings.bucket));
    }
  }
}

}  // namespace

void load_fasttext_bin(VectorReader& reader, ModelBuilder& builder) {
  constexpr std::string_view kInput = "input matrix";
  constexpr std::string_view kOutput = "output matrix";
  const Settings settings = read_settings(reader);
  builder.set_dim(static_cast<std::uint64_t>(std::max(settings.dim, 0)));
  const std::vector<std::string> words = read_dictionary(reader);

  if (take<std::int8_t>(reader, kInput) != 0) refuse_quantised(reader);
  const MatrixSize size = read_matrix_size(reader, kInput);
  const auto buckets = static_cast<std::uint64_t>(settings.bucket);
  const std::uint64_t needed = words.size() + (settings.has_ngrams() ? buckets : 0);
  if (size.cols != builder.dim() || size.rows < needed || size.rows > words.size() + buckets) {
    refuse_damaged(reader, kInput);
  }
  Matrix input(builder.dim());
  input.read_rows(reader, size.rows, kInput);

  // The output matrix is for training only, but a file without it is cut.
  take<std::int8_t>(reader, kOutput);
  const MatrixSize output_size = read_matrix_size(reader, kOutput);
  skip_bytes(reader, output_size.rows * output_size.cols * sizeof(float), kOutput);
  if (!reader.peek(1).empty()) refuse_damaged(reader, "end");

  std::vector<std::size_t> ngrams;
  std::vector<float> vector(builder.dim());
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (builder.is_full()) {
      builder.skip_row();
      continue;
    }
    ngrams.clear();
    if (settings.has_ngrams() && words[i] != kEndOfSentence) find_ngrams(words[i], settings, ngrams);
    const auto own = input.row(i);
    std::copy(own.begin(), own.end(), vector.begin());
    for (const std::size_t ngram : ngrams) {
      const auto row = input.row(words.size() + ngram);
      std::transform(row.begin(), row.end(), vector.begin(), vector.begin(), std::plus<>());
    }
    const auto share = static_cast<float>(1.0 / static_cast<double>(ngrams.size() + 1));
    for (float& value : vector) value *= share;
    builder.add_row(i + 1, words[i], vector);
  }
}

}  // namespace sotto
