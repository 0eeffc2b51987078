// NumPy matrices: the reader alone, then as the vectors of a model with made-up words.
#include "core/npy.h"

#include <cstring>
#include <string>
#include <vector>

#include "model_harness.h"

using sotto::fuzz::accepts;
using sotto::fuzz::expect;

namespace {

struct Matrix {
  sotto::NpyShape shape;
  std::vector<double> values;
};

bool read_matrix(std::string_view bytes, std::size_t rows_at_once, Matrix& out) {
  out = {};
  return accepts([&] {
    const auto source = sotto::source_of_string(std::string(bytes));
    sotto::NpyReader reader(*source, "fuzz");
    out.shape = reader.shape();
    expect(out.shape.cols > 0 && out.shape.cols <= sotto::kMostNpyColumns, "a row can be allocated");
    std::vector<double> piece(rows_at_once * out.shape.cols);
    while (const std::size_t rows = reader.read(piece)) {
      expect(rows <= rows_at_once, "no more rows are read than there is room for");
      out.values.insert(out.values.end(), piece.begin(),
                        piece.begin() + static_cast<std::ptrdiff_t>(rows * out.shape.cols));
    }
    expect(out.values.size() == out.shape.rows * out.shape.cols, "all rows come, and no more");
  });
}

// NaN differs from itself, its bytes do not.
bool has_equal_bytes(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = sotto::fuzz::text_of(data, size);
  Matrix whole;
  Matrix by_row;
  const bool is_good = read_matrix(bytes, 7, whole);
  expect(read_matrix(bytes, 1, by_row) == is_good, "acceptance does not depend on the size of reads");
  if (!is_good) return 0;
  expect(has_equal_bytes(whole.values, by_row.values), "values do not depend on the size of reads");

  std::string written = sotto::npy_header(whole.shape);
  sotto::append_npy_values(whole.values, whole.shape.type, written);
  Matrix again;
  expect(read_matrix(written, 7, again), "what is written can be read");
  expect(has_equal_bytes(whole.values, again.values), "and holds the same values");

  std::string words;
  for (std::size_t i = 0; i < whole.shape.rows; ++i) words += "w" + std::to_string(i) + "\n";
  const sotto::fuzz::MemoryFile word_file(words);
  return sotto::fuzz::check_import(bytes, sotto::VectorFormat::npy, word_file.path());
}
