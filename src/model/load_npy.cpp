#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/npy.h"
#include "model/loaders.h"
#include "sotto/error.h"

namespace sotto {
namespace {

// The bytes that a VectorReader has not given yet.
class RestOfReader final : public ByteSource {
 public:
  explicit RestOfReader(VectorReader& reader) : reader_(reader) {}
  std::size_t read(char* buffer, std::size_t capacity) override {
    const std::size_t count = reader_.peek(1).copy(buffer, capacity);
    reader_.skip(count);
    return count;
  }
  [[nodiscard]] std::uint64_t consumed() const override { return 0; }
  [[nodiscard]] std::uint64_t total() const override { return 0; }

 private:
  VectorReader& reader_;
};

std::vector<std::string> read_words(VectorReader& reader) {
  std::vector<std::string> words;
  while (const auto line = reader.next_line()) words.emplace_back(*line);
  return words;
}

}  // namespace

void load_npy(VectorReader& reader, VectorReader& word_reader, ModelBuilder& builder) {
  RestOfReader rest(reader);
  NpyReader matrix(rest, reader.label());
  const NpyShape& shape = matrix.shape();
  builder.set_dim(shape.cols);
  const std::vector<std::string> words = read_words(word_reader);
  if (words.size() != shape.rows) {
    throw Error(
        ErrorCode::bad_data,
        fmt::format("{} has {} lines, but {} has {} rows; the word list has one line for each row, in "
                    "the order of the rows",
                    word_reader.label(), words.size(), reader.label(), shape.rows));
  }
  std::vector<double> row(shape.cols);
  std::vector<float> vector(shape.cols);
  for (std::uint64_t number = 1; matrix.read(row) > 0; ++number) {
    if (builder.is_full()) {
      builder.skip_row();
      continue;
    }
    // What float32 cannot hold becomes infinite, and so a bad row.
    std::transform(row.begin(), row.end(), vector.begin(), [](double v) { return static_cast<float>(v); });
    builder.add_row(number, words[number - 1], vector);
  }
}

}  // namespace sotto
