#pragma once
#include <sys/types.h>

#include <filesystem>
#include <optional>

#include "core/child_process.h"
#include "core/descriptor.h"
#include "core/private_folder.h"

namespace sotto {

// A new folder, mode 0700, that is removed with everything in it at the end, and also if this process dies
// first, of Ctrl-C or kill -9 too. A small shell beside this process waits for that.
class GuardedFolder {
 public:
  // Throws Error(input_output).
  explicit GuardedFolder(const std::filesystem::path& parent);
  // Closes the pipe, which the shell takes for our end, and waits for the shell.
  ~GuardedFolder();
  GuardedFolder(const GuardedFolder&) = delete;
  GuardedFolder& operator=(const GuardedFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
  // This process group is killed too if this process dies; 0: none is, any more.
  void also_end(pid_t group);

 private:
  PrivateFolder folder_;
  Descriptor pipe_;
  std::optional<ChildProcess> guard_;
};

}  // namespace sotto
