#include <fmt/format.h>

#include <charconv>

#include "model/loaders.h"
#include "model/text_row.h"
#include "sotto/error.h"

namespace sotto {
namespace {

// Takes one decimal number and the blanks around it off the front of `text`.
std::optional<std::uint64_t> take_count(std::string_view& text) {
  while (is_blank(text.substr(0, 1)) && !text.empty()) text.remove_prefix(1);
  std::uint64_t count = 0;
  const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (fault != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  if (!is_blank(text.substr(0, 1))) return std::nullopt;
  return count;
}

}  // namespace

std::optional<Word2vecHeader> parse_word2vec_header(std::string_view line) {
  const auto rows = take_count(line);
  if (!rows) return std::nullopt;
  const auto dim = take_count(line);
  if (!dim || !is_blank(line)) return std::nullopt;
  return Word2vecHeader{*rows, *dim};
}

Word2vecHeader read_word2vec_header(VectorReader& reader) {
  const auto line = reader.next_line();
  const auto header = line ? parse_word2vec_header(*line) : std::nullopt;
  if (!header) {
    throw Error(
        ErrorCode::bad_data,
        fmt::format("{}: line 1 is not `rows dimensions`, as word2vec files begin; GloVe files have no "
                    "such line: name the right format",
                    reader.label()));
  }
  return *header;
}

void check_row_count(const Word2vecHeader& header, std::uint64_t rows, const VectorReader& reader) {
  if (rows == header.rows) return;
  throw Error(
      ErrorCode::bad_data,
      fmt::format("{}: it holds {} rows, but its header says {}: the file is truncated or damaged; get it "
                  "again, or correct its first line",
                  reader.label(), rows, header.rows));
}

void load_word2vec_text(VectorReader& reader, ModelBuilder& builder) {
  const Word2vecHeader header = read_word2vec_header(reader);
  builder.set_dim(header.dim);
  TextRow row;
  while (const auto line = reader.next_line()) {
    if (is_blank(*line)) continue;
    if (builder.is_full()) {
      builder.skip_row();
      continue;
    }
    row.parse(*line);
    builder.add_row(reader.line_number(), row.word, row.vector);
  }
  check_row_count(header, builder.rows_read(), reader);
}

}  // namespace sotto
