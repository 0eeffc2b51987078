#pragma once
#include <filesystem>
#include <optional>

#include "shared/command_line.h"

namespace sotto::cli {

// The file in which the certificate of a choice is kept, as it was before anything was read from it.
struct KeptFile {
  // What the file says, unchecked: for `--verify` to compare, never to be relied on.
  struct Stated {
    double epsilon = 0;
    double largest_loss = 0;
  };
  std::filesystem::path path;                                   // empty: there is none
  std::optional<std::filesystem::file_time_type> written = {};  // empty: not there
  std::optional<Stated> stated = {};                            // empty: it cannot be read

  // When it was written, asked now.
  [[nodiscard]] std::optional<std::filesystem::file_time_type> written_now() const;
};

KeptFile find_kept_file(const MechanismChoice& choice);

}  // namespace sotto::cli
