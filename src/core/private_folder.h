#pragma once
#include <filesystem>
#include <string_view>

namespace sotto {

// A folder of ours (mode 0700): others could plant a file in one that they may write to.
bool is_ours_alone(const std::filesystem::path& folder);
// Makes it if it is not there. Throws Error(input_output) if it cannot be made or is not ours alone.
void make_private_folder(const std::filesystem::path& folder);

// A new folder within another one, mode 0700, removed with everything in it at the end. For work with files
// of other programs.
class PrivateFolder {
 public:
  // Makes the parent if it is not there. Throws Error(input_output).
  explicit PrivateFolder(const std::filesystem::path& parent, std::string_view prefix = ".fetch-");
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  ~PrivateFolder();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace sotto
