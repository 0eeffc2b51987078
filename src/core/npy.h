#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sotto/byte_stream.h"

namespace sotto {

// A two-dimensional NumPy array of floats.
struct NpyShape {
  std::size_t rows = 0;
  std::size_t cols = 0;
  enum class Type { float32, float64 } type = Type::float64;
};

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

// No reader's shape has more: a row may be allocated before its bytes are there.
inline constexpr std::size_t kMostNpyColumns = std::size_t{1} << 20;

// Streams the rows of an .npy file (format versions 1.0, 2.0, 3.0; little- or big-endian float32 or
// float64). C order is read row by row; Fortran order is read whole and transposed. Never allocates
// by the rows that the header states before the bytes are there. NaN and infinity are passed on.
class NpyReader {
 public:
  // Reads the header; rows may be 0, columns not. Throws Error(bad_data) that names `label` on
  // anything that is not a matrix of floats, with what to do about it. The source must outlive it.
  NpyReader(ByteSource& source, std::string label);

  [[nodiscard]] const NpyShape& shape() const noexcept { return shape_; }
  // Fills as many whole rows of shape().cols doubles as fit (there must be room for one) and returns
  // their number, 0 at the end. Throws Error(bad_data) if the file ends early or, with its last row,
  // if it holds more than its header states.
  std::size_t read(std::span<double> out);

 private:
  // What the header says besides the shape: how the values lie in the file.
  struct Layout {
    bool is_big_endian = false;
    bool is_fortran_order = false;
  };

  void read_header();
  void read_row_major(std::span<double> out);
  void read_column_major(std::span<double> out);
  void load_columns();
  void check_end();
  [[nodiscard]] double value_at(const char* bytes) const;
  [[noreturn]] void refuse(const std::string& reason) const;

  ByteSource& source_;
  std::string label_;
  NpyShape shape_;
  Layout layout_;
  std::size_t item_size_ = 0;
  std::size_t rows_done_ = 0;
  std::string columns_;  // the values of an array in Fortran order, as they lie in the file
};

// The header of a C-order little-endian array, version 1.0, padded to a multiple of 64 bytes.
std::string npy_header(const NpyShape& shape);
// Appends the little-endian bytes of the values in that type. A value beyond float32 becomes infinite.
void append_npy_values(std::span<const double> values, NpyShape::Type type, std::string& out);

}  // namespace sotto
