#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

namespace sotto {

enum class Overwrite { refuse, replace };

// A file that appears whole or not at all. Bytes go to an unnamed file in the target's folder
// (O_TMPFILE; a named 0600 temporary file where the file system has none), commit() syncs it and
// gives it its name and the usual mode; without commit() nothing is left behind, also after kill -9
// where O_TMPFILE works. A target that exists and is not a regular file (/dev/null, a pipe) is
// written directly. Errors are Error(input_output), or Error(usage) for an existing file without
// Overwrite::replace; that is checked at construction and again, without a race, at commit.
class OutputFile {
 public:
  OutputFile(std::filesystem::path path, Overwrite overwrite);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sotto
