#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "sotto/byte_stream.h"

namespace sotto {

// A file that appears whole or not at all. Bytes go to an unnamed file in the target's folder
// (O_TMPFILE; a named 0600 temporary file where the file system has none), commit() syncs it and
// gives it its name and the usual mode; without commit() nothing is left behind, also after kill -9
// where O_TMPFILE works. A target that exists and is not a regular file (/dev/null, a pipe) is
// written directly. Errors are Error(input_output), or Error(usage) for a folder and for an existing
// file without Overwrite::replace; that is checked at construction and again, without a race, at commit.
// A symbolic link is followed: what it points to is replaced. A replaced file keeps its mode.
class OutputFile {
 public:
  enum class Temporary { unnamed_if_possible, named };  // named: for tests of the fallback

  OutputFile(const std::filesystem::path& path, Overwrite overwrite,
             Temporary temporary = Temporary::unnamed_if_possible);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);  // buffered: a full disk may show only at commit()
  void commit();                       // once; refused after a failed write
  // False for a target that is written directly.
  [[nodiscard]] bool holds_back() const noexcept;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sotto
