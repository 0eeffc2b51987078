#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/byte_stream.h"

namespace sotto {

// Buffered reading of a file of vectors, by lines or by bytes. Views are valid until the next call.
class VectorReader {
 public:
  // `label` names the file in messages. A UTF-8 byte order mark at the start is skipped.
  VectorReader(ByteSource& source, std::string label);

  // At least `size` of the coming bytes; fewer only at the end of the file.
  std::string_view peek(std::size_t size);
  // Consumes `size` bytes that peek() has shown.
  void skip(std::size_t size) { begin_ += size; }
  // The next line without its LF or CR LF; nothing at the end. Throws Error(bad_data) if it is longer
  // than any line of vectors is: the file is something else.
  std::optional<std::string_view> next_line();
  // 1-based number of the line that next_line() gave last.
  [[nodiscard]] std::uint64_t line_number() const noexcept { return line_number_; }
  [[nodiscard]] const std::string& label() const noexcept { return label_; }

 private:
  bool fill();

  ByteSource& source_;
  std::string label_;
  std::string buffer_;
  std::size_t begin_ = 0;  // of the bytes not yet consumed
  std::size_t end_ = 0;
  std::uint64_t line_number_ = 0;
};

}  // namespace sotto
