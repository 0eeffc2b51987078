#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sotto/byte_stream.h"

namespace sotto {

// Streams the numbers of a one-dimensional .npy array of any integer, truth or float32/float64 type.
class NpyNumbers {
 public:
  // Throws Error(bad_data) that names `label` if the array is something else. The source must outlive it.
  NpyNumbers(ByteSource& source, std::string label);

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] bool is_float() const noexcept { return kind_ == 'f'; }
  [[nodiscard]] bool is_float32() const noexcept { return kind_ == 'f' && item_size_ == 4; }
  // The next number, rounded to a double if it is a large integer. Throws Error(bad_data) if the file ends
  // early; not after the last.
  double next();
  // The same for an array of integers; a number beyond 2^63 comes out negative.
  std::int64_t next_integer();
  // Throws Error(bad_data) if numbers are left, or if bytes follow the last one.
  void finish();

 private:
  const char* next_item();
  [[noreturn]] void refuse(const char* reason) const;

  ByteSource& source_;
  std::string label_;
  std::uint64_t size_ = 0;
  std::uint64_t taken_ = 0;
  char kind_ = 'f';
  bool is_big_endian_ = false;
  std::size_t item_size_ = 8;
  std::vector<char> buffer_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  char item_[8] = {};
};

// A text in an array of no dimension, as scipy.sparse.save_npz stores the name of a format: the bytes up to
// the first 0. Throws Error(bad_data) for another array, or for a text of more than 16 characters.
std::string read_npy_text(ByteSource& source, const std::string& label);

}  // namespace sotto
