#include "text/vector_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/csr_npz.h"
#include "core/npy_start.h"
#include "core/peeked_source.h"
#include "model/unicode.h"
#include "sotto/byte_stream.h"
#include "sotto/error.h"
#include "text/lookup.h"

namespace sotto {

namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 20;

// The rows of a reader, checked to be finite.
template <typename Reader>
class MatrixRows : public VectorRows {
 public:
  template <typename... Given>
  explicit MatrixRows(Given&&... given) : reader_(std::forward<Given>(given)...) {}

  [[nodiscard]] const NpyShape& shape() const override { return reader_.shape(); }
  std::size_t read(std::span<double> out) override {
    const std::size_t count = reader_.read(out);
    check_finite(out.first(count * shape().cols), shape().cols, {.before = rows_read_, .counted_from = 1});
    rows_read_ += count;
    return count;
  }

 private:
  Reader reader_;
  std::size_t rows_read_ = 0;
};

// NpyReader with the source that it reads.
struct OwningNpyReader {
  OwningNpyReader(std::unique_ptr<ByteSource> given, const std::string& label)
      : source(std::move(given)), reader(*source, label) {}
  [[nodiscard]] const NpyShape& shape() const { return reader.shape(); }
  std::size_t read(std::span<double> out) { return reader.read(out); }

  std::unique_ptr<ByteSource> source;
  NpyReader reader;
};

// A zip archive has its directory at its end.
std::string all_bytes(ByteSource& source) {
  constexpr std::size_t kFirst = std::size_t{1} << 16;
  std::string bytes;
  for (;;) {
    const std::size_t before = bytes.size();
    const std::size_t more = std::max(kFirst, before);
    bytes.resize(before + more);
    const std::size_t got = read_fully(source, bytes.data() + before, more);
    bytes.resize(before + got);
    if (got < more) return bytes;
  }
}

class WordRows final : public VectorRows {
 public:
  WordRows(std::shared_ptr<const Model> model, std::vector<WordId> words)
      : model_(std::move(model)),
        words_(std::move(words)),
        shape_{.rows = words_.size(), .cols = model_->dim(), .type = NpyShape::Type::float32} {}

  [[nodiscard]] const NpyShape& shape() const override { return shape_; }
  std::size_t read(std::span<double> out) override {
    const std::size_t count = std::min(out.size() / shape_.cols, words_.size() - given_);
    for (std::size_t i = 0; i < count; ++i) {
      std::ranges::copy(model_->vector(words_[given_ + i]), &out[i * shape_.cols]);
    }
    given_ += count;
    return count;
  }

 private:
  std::shared_ptr<const Model> model_;
  std::vector<WordId> words_;
  NpyShape shape_;
  std::size_t given_ = 0;
};

// Calls visit(line, number) for each line, without its end; a last line needs none.
template <typename Visit>
void for_each_line(ByteSource& source, const Visit& visit) {
  std::string line;
  std::vector<char> buffer(std::size_t{1} << 16);
  std::size_t number = 1;
  while (const std::size_t count = source.read(buffer.data(), buffer.size())) {
    std::string_view rest(buffer.data(), count);
    for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      line.append(rest.substr(0, end));
      rest.remove_prefix(end + 1);
      visit(line, number);
      line.clear();
      ++number;
    }
    line.append(rest);
    if (line.size() > kLongestLine) {
      throw Error(
          ErrorCode::bad_data,
          fmt::format("line {} is longer than 1 MiB: it takes one word per line, or an .npy matrix", number));
    }
  }
  if (!line.empty()) visit(line, number);
}

std::string_view trimmed_line(std::string_view line) {
  constexpr std::string_view kSpace = " \t\r";
  const std::size_t first = line.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(kSpace) - first + 1);
}

OpenedVectors open_words(ByteSource& source, const std::shared_ptr<const Model>& model,
                         const std::string& unknown_word) {
  const Lookup lookup(model);
  const WordId anchor = lookup.anchor(unknown_word);
  VectorReleaseFacts::Words facts{.anchor = std::string(model->word(anchor))};
  std::vector<WordId> words;
  for_each_line(source, [&](std::string_view line, std::size_t number) {
    const std::string_view word = trimmed_line(line);
    if (!is_valid_utf8(word)) {
      throw Error(
          ErrorCode::bad_data,
          fmt::format("line {} is not valid UTF-8; the input is an .npy matrix, or text with one word of the "
                      "model per line",
                      number));
    }
    const auto found = lookup.find(word);
    words.push_back(found.value_or(anchor));
    facts.unknown += found ? 0 : 1;
  });
  constexpr std::size_t kFewLines = 10;  // fewer may well all be unknown
  if (words.size() >= kFewLines && facts.unknown == words.size()) {
    throw Error(
        ErrorCode::bad_data,
        fmt::format(
            "none of the {} lines is a word of the model, so each of them would get the vector of one "
            "anchor word. The input is read as text with one word per line. Give the column of "
            "words alone if it is a table, an .npy or .npz file if it has vectors, or another "
            "--model",
            words.size()));
  }
  return {.rows = std::make_unique<WordRows>(model, std::move(words)),
          .input = {.model = model, .domain = VectorInput::Domain::words, .dim = model->dim()},
          .words = std::move(facts)};
}

}  // namespace

bool is_named_npy(std::filesystem::path path) {
  if (compression_of_name(path) != Compression::none) path.replace_extension();
  return path.extension() == ".npy";
}

namespace {

bool is_named_npz(std::filesystem::path path) {
  if (compression_of_name(path) != Compression::none) path.replace_extension();
  return path.extension() == ".npz";
}

}  // namespace

OpenedVectors open_vectors(
    const std::filesystem::path& path, const std::string& unknown_word,
    const std::function<std::shared_ptr<const Model>(VectorInput::Domain)>& model_for) {
  auto source = std::make_unique<PeekedSource>(open_source_or_zip(path));
  const std::string start = source->head(kNpyMagic.size());
  const bool is_sparse = start.starts_with(kZipMagic) || is_named_npz(path);
  if (!is_sparse && start != kNpyMagic && !is_named_npy(path)) {
    return open_words(*source, model_for(VectorInput::Domain::words), unknown_word);
  }
  if (!unknown_word.empty()) {
    throw Error(ErrorCode::usage, "`unknown-word` is for a list of words, and the input is a matrix");
  }
  const std::string label = path == "-" ? "standard input" : path.string();
  std::unique_ptr<VectorRows> rows;
  if (is_sparse) {
    rows = std::make_unique<MatrixRows<CsrReader>>(all_bytes(*source), label);
  } else {
    rows = std::make_unique<MatrixRows<OwningNpyReader>>(std::move(source), label);
  }
  const VectorInput::Domain domain = VectorInput::Domain::free;
  VectorInput input{.model = model_for(domain), .domain = domain, .dim = rows->shape().cols};
  return {.rows = std::move(rows), .input = std::move(input), .words = {}};
}

void check_finite(std::span<const double> rows, std::size_t columns, const RowNumbers& numbers) {
  const auto bad = std::ranges::find_if(rows, [](double value) { return !std::isfinite(value); });
  if (bad == rows.end()) return;
  const std::size_t row = static_cast<std::size_t>(bad - rows.begin()) / columns;
  throw Error(
      ErrorCode::bad_data,
      fmt::format("row {} (counted from {}) holds NaN or infinity, which has no distance to anything; "
                  "remove or repair it, for example with numpy.nan_to_num",
                  numbers.before + numbers.counted_from + row, numbers.counted_from));
}

}  // namespace sotto
