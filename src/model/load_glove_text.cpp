#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/loaders.h"
#include "model/text_row.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::size_t kLinesForDimension = 32;

struct Line {
  std::uint64_t number;
  std::string text;
};

// There is no header, and a word may hold spaces and numbers ("at 3"), which lengthens the run of
// numbers at the end of its line: the commonest length of the first lines counts, on a tie the first.
std::size_t commonest_length(const std::vector<Line>& lines) {
  std::vector<std::size_t> lengths;
  TextRow row;
  for (const Line& line : lines) {
    row.parse(line.text);
    lengths.push_back(row.vector.size());
  }
  std::size_t best = 0;
  std::ptrdiff_t best_count = 0;
  for (const std::size_t length : lengths) {
    const auto count = std::count(lengths.begin(), lengths.end(), length);
    if (count > best_count) {
      best = length;
      best_count = count;
    }
  }
  return best;
}

void add_line(std::uint64_t number, std::string_view line, TextRow& row, ModelBuilder& builder) {
  if (is_blank(line)) return;
  if (builder.is_full()) return builder.skip_row();
  row.parse(line);
  builder.add_row(number, row.word, row.vector);
}

}  // namespace

void load_glove_text(VectorReader& reader, ModelBuilder& builder) {
  std::vector<Line> head;
  while (head.size() < kLinesForDimension) {
    const auto line = reader.next_line();
    if (!line) break;
    if (!is_blank(*line)) head.push_back({reader.line_number(), std::string(*line)});
  }
  if (head.empty()) return;
  const std::size_t dim = commonest_length(head);
  if (dim == 0) {
    throw Error(
        ErrorCode::bad_data,
        fmt::format("{}: its lines do not end in numbers, so this is not a file of vectors; allowed are "
                    "GloVe text, word2vec text or binary, fastText .vec and npm JSON",
                    reader.label()));
  }
  builder.set_dim(dim);
  TextRow row;
  for (const Line& line : head) add_line(line.number, line.text, row, builder);
  while (const auto line = reader.next_line()) add_line(reader.line_number(), *line, row, builder);
}

}  // namespace sotto
