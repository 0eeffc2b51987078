#pragma once
#include <cstring>
#include <vector>

#include "core/npy.h"
#include "expect.h"

// What the readers of matrices must do with any bytes.
namespace sotto::fuzz {

struct Matrix {
  NpyShape shape;
  std::vector<double> values;
};

constexpr std::size_t kMostValues = std::size_t{1} << 20;  // a sparse row of a few bytes may be a long one

// All rows of the reader that `open` makes, some at a time. False: the bytes were refused.
template <typename Open>
bool read_matrix(const Open& open, std::size_t rows_at_once, Matrix& out) {
  out = {};
  return accepts([&] {
    auto reader = open();
    out.shape = reader.shape();
    expect(out.shape.cols > 0 && out.shape.cols <= kMostNpyColumns, "a row can be allocated");
    std::vector<double> piece(rows_at_once * out.shape.cols);
    while (const std::size_t rows = reader.read(piece)) {
      expect(rows <= rows_at_once, "no more rows are read than there is room for");
      if (out.values.size() + rows * out.shape.cols > kMostValues) {
        throw Error(ErrorCode::bad_data, "too long for this test");
      }
      out.values.insert(out.values.end(), piece.begin(),
                        piece.begin() + static_cast<std::ptrdiff_t>(rows * out.shape.cols));
    }
    expect(out.values.size() == out.shape.rows * out.shape.cols, "all rows come, and no more");
  });
}

// NaN differs from itself, its bytes do not.
inline bool has_equal_bytes(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0);
}

// Reads row by row, and again `together` rows at a time. False: the bytes were refused, both times.
template <typename Open>
bool check_matrix(const Open& open, std::size_t together, Matrix& out) {
  Matrix again;
  const bool is_good = read_matrix(open, 1, out);
  expect(read_matrix(open, together, again) == is_good, "acceptance does not depend on the size of reads");
  if (is_good) expect(has_equal_bytes(out.values, again.values), "values do not depend on the size of reads");
  return is_good;
}

}  // namespace sotto::fuzz
