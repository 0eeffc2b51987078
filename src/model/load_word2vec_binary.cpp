#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <vector>

#include "model/loaders.h"
#include "sotto/error.h"

namespace sotto {
namespace {

static_assert(std::endian::native == std::endian::little, "word2vec binary is little-endian");

constexpr std::size_t kLongestBinaryWord = 4096;

// Ends at the first space; the space is consumed too. Empty if the file ends before it.
std::optional<std::string_view> peek_word(VectorReader& reader) {
  for (std::size_t wanted = 64;; wanted *= 2) {
    const std::string_view bytes = reader.peek(wanted).substr(0, kLongestBinaryWord + 1);
    const std::size_t space = bytes.find(' ');
    if (space != std::string_view::npos) return bytes.substr(0, space);
    if (bytes.size() < wanted) break;
  }
  return std::nullopt;
}

}  // namespace

void load_word2vec_binary(VectorReader& reader, ModelBuilder& builder) {
  const Word2vecHeader header = read_word2vec_header(reader);
  builder.set_dim(header.dim);
  const std::size_t vector_size = header.dim * sizeof(float);
  std::vector<float> vector(header.dim);
  std::uint64_t record = 0;
  for (; record < header.rows; ++record) {
    // The original tool ends a record with a newline, gensim and GoogleNews do not.
    if (reader.peek(1).starts_with('\n')) reader.skip(1);
    const auto peeked = peek_word(reader);
    if (!peeked) break;
    const std::size_t word_size = peeked->size();
    const std::string_view bytes = reader.peek(word_size + 1 + vector_size);
    if (bytes.size() < word_size + 1 + vector_size) break;
    if (builder.is_full()) {
      builder.skip_row();
    } else {
      std::memcpy(vector.data(), bytes.data() + word_size + 1, vector_size);
      builder.add_row(record + 1, bytes.substr(0, word_size), vector);
    }
    reader.skip(word_size + 1 + vector_size);
  }
  check_row_count(header, record, reader);
  if (reader.peek(1).starts_with('\n')) reader.skip(1);
  if (!reader.peek(1).empty()) {
    throw Error(
        ErrorCode::bad_data,
        fmt::format("{}: bytes follow the {} rows that its header promises: the file is damaged or not "
                    "word2vec binary; get it again, or name its format",
                    reader.label(), header.rows));
  }
}

}  // namespace sotto
