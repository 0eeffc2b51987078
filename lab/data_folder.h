#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::lab {

// A file of a data set under the names that it may have.
struct DataFile {
  std::string_view set;                      // "IMDB reviews (Maas et al. 2011)"
  std::vector<std::filesystem::path> names;  // relative to the folder, the first that exists is taken
  std::string_view published;                // where to get it, for the message of who has not
};

// The folder with the data sets. docs/lab.md lists the two layouts that it may have: this project's own, and
// the one in which each set is published (aclImdb, SentEval).
class DataFolder {
 public:
  // Throws Error(input_output) if it is not a folder.
  explicit DataFolder(std::filesystem::path root);

  [[nodiscard]] const std::filesystem::path& root() const noexcept { return root_; }
  // The first of its names that is there, as it is or with .gz, .zst or .xz after it.
  [[nodiscard]] std::optional<std::filesystem::path> find(const DataFile& file) const;
  // The same; throws Error(input_output) that names a missing file and where it is published.
  [[nodiscard]] std::filesystem::path path(const DataFile& file) const;
  // The bytes of that file, decompressed.
  [[nodiscard]] std::string read(const DataFile& file) const;

 private:
  std::filesystem::path root_;
};

// The bytes of a file, decompressed (.gz and .zst by their content, .xz by the program xz).
std::string read_whole(const std::filesystem::path& path);
// The lines of a text, split at line feeds only (reviews contain U+0085), without the carriage return.
std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace sotto::lab
