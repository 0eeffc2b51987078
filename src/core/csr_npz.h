#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/npy.h"
#include "core/npy_numbers.h"
#include "core/zip.h"

namespace sotto {

// Streams the rows of a sparse matrix that scipy.sparse.save_npz wrote: a zip archive of .npy arrays, in the
// format CSR. Only the packed file is held in memory; the three arrays are unpacked as the rows are read.
class CsrReader {
 public:
  // Throws Error(bad_data) that names `label`, with what to do about it.
  CsrReader(std::string bytes, std::string label);

  // The type is float32 if the values are, else float64 (counts are integers).
  [[nodiscard]] const NpyShape& shape() const noexcept { return shape_; }
  // Fills as many whole rows of shape().cols doubles as fit, zeros included, and returns their number, 0 at
  // the end. Two entries of one place add up, as in scipy. Throws Error(bad_data) if the arrays do not fit
  // together or the file is damaged. NaN and infinity are passed on.
  std::size_t read(std::span<double> out);

 private:
  void read_row(std::span<double> row);
  void finish();
  [[nodiscard]] std::unique_ptr<ByteSource> open(const char* member) const;
  [[noreturn]] void refuse(const std::string& reason) const;

  std::string label_;
  ZipArchive archive_;
  NpyShape shape_;
  std::unique_ptr<ByteSource> starts_source_;
  std::unique_ptr<ByteSource> columns_source_;
  std::unique_ptr<ByteSource> values_source_;
  std::unique_ptr<NpyNumbers> starts_;
  std::unique_ptr<NpyNumbers> columns_;
  std::unique_ptr<NpyNumbers> values_;
  std::size_t rows_done_ = 0;
  std::int64_t entries_done_ = 0;
  bool is_finished_ = false;
};

}  // namespace sotto
