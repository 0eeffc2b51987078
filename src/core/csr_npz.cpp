#include "core/csr_npz.h"

#include <fmt/format.h>

#include <algorithm>

#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::string_view kFormats[] = {"csc", "coo", "bsr", "dia"};  // that save_npz writes besides csr

}  // namespace

CsrReader::CsrReader(std::string bytes, std::string label)
    : label_(std::move(label)), archive_(std::move(bytes), label_) {
  if (!archive_.has("format.npy")) {
    refuse(
        "it is a zip archive without a sparse matrix; save a sparse matrix with scipy.sparse.save_npz, or "
        "a "
        "dense one with numpy.save");
  }
  const std::string format = read_npy_text(*open("format.npy"), label_);
  if (std::ranges::find(kFormats, format) != std::end(kFormats)) {
    refuse(
        fmt::format("it holds a sparse matrix in the format {}, and csr is needed, which has rows; save "
                    "matrix.tocsr()",
                    format));
  }
  if (format != "csr") refuse("it holds no sparse matrix in the format csr; save matrix.tocsr()");
  const std::unique_ptr<ByteSource> shape_source = open("shape.npy");
  NpyNumbers shape(*shape_source, label_);
  if (shape.is_float() || shape.size() != 2) refuse("its shape is not that of a matrix; save it again");
  const std::int64_t rows = shape.next_integer();
  const std::int64_t cols = shape.next_integer();
  shape.finish();
  if (rows < 0 || cols < 1 || static_cast<std::uint64_t>(cols) > kMostNpyColumns) {
    refuse(fmt::format(
        "it has {} columns, and 1 to {} are allowed; hash the k-grams to fewer columns, for example "
        "by sklearn.feature_extraction.text.HashingVectorizer(n_features=2**16)",
        cols, kMostNpyColumns));
  }
  starts_source_ = open("indptr.npy");
  columns_source_ = open("indices.npy");
  values_source_ = open("data.npy");
  starts_ = std::make_unique<NpyNumbers>(*starts_source_, label_);
  columns_ = std::make_unique<NpyNumbers>(*columns_source_, label_);
  values_ = std::make_unique<NpyNumbers>(*values_source_, label_);
  shape_ = {.rows = static_cast<std::size_t>(rows),
            .cols = static_cast<std::size_t>(cols),
            .type = values_->is_float32() ? NpyShape::Type::float32 : NpyShape::Type::float64};
  if (starts_->is_float() || columns_->is_float() || starts_->size() != shape_.rows + 1 ||
      columns_->size() != values_->size() || starts_->next_integer() != 0) {
    refuse("its arrays do not fit together: the file is damaged; save it again");
  }
}

void CsrReader::refuse(const std::string& reason) const {
  throw Error(ErrorCode::bad_data, fmt::format("{}: {}", label_, reason));
}

std::unique_ptr<ByteSource> CsrReader::open(const char* member) const {
  if (!archive_.has(member)) {
    refuse(fmt::format("its array {} is missing; save it with scipy.sparse.save_npz", member));
  }
  return archive_.open(member);
}

void CsrReader::read_row(std::span<double> row) {
  const std::int64_t end = starts_->next_integer();
  if (end < entries_done_ || static_cast<std::uint64_t>(end) > values_->size()) {
    refuse(fmt::format("row {} (counted from 1) does not fit the array of values: the file is damaged",
                       rows_done_ + 1));
  }
  std::ranges::fill(row, 0.0);
  for (; entries_done_ < end; ++entries_done_) {
    const std::int64_t column = columns_->next_integer();
    if (column < 0 || static_cast<std::uint64_t>(column) >= row.size()) {
      refuse(fmt::format("row {} (counted from 1) has an entry outside the columns: the file is damaged",
                         rows_done_ + 1));
    }
    row[static_cast<std::size_t>(column)] += values_->next();
  }
}

// The streams check their lengths and sums when their ends are read.
void CsrReader::finish() {
  starts_->finish();
  columns_->finish();
  values_->finish();
}

std::size_t CsrReader::read(std::span<double> out) {
  const std::size_t room = out.size() / shape_.cols;
  if (room == 0) throw Error(ErrorCode::internal, "no room for one row of a sparse matrix");
  const std::size_t rows = std::min(room, shape_.rows - rows_done_);
  for (std::size_t i = 0; i < rows; ++i, ++rows_done_) {
    read_row(out.subspan(i * shape_.cols, shape_.cols));
  }
  if (rows_done_ == shape_.rows && !is_finished_) {
    finish();
    is_finished_ = true;
  }
  return rows;
}

}  // namespace sotto
