#include "core/private_folder.h"

#include <fmt/format.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/descriptor.h"
#include "sotto/error.h"

namespace sotto {

bool is_ours_alone(const std::filesystem::path& folder) {
  struct stat status {};
  return lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
         (status.st_mode & 077) == 0;
}

void make_private_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder.parent_path(), error);
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    throw Error(ErrorCode::input_output,
                fmt::format("cannot make the folder {}: {}", folder.string(), std::strerror(errno)));
  }
  if (!is_ours_alone(folder)) {
    throw Error(ErrorCode::input_output,
                fmt::format("the folder {} is not yours alone; run `chmod 700` on it", folder.string()));
  }
}

PrivateFolder::PrivateFolder(const std::filesystem::path& parent, std::string_view prefix) {
  std::error_code error;
  std::filesystem::create_directories(parent, error);
  std::string pattern = (std::filesystem::absolute(parent, error) / fmt::format("{}XXXXXX", prefix)).string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    const int error_number = errno;
    throw Error(ErrorCode::input_output,
                fmt::format("cannot create a folder in {}: {}; give a folder that you may write to",
                            shown(parent.string()), system_message(error_number)));
  }
  path_ = pattern;
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace sotto
