#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/privatize/plan.h"
#include "sotto/answer.h"

namespace sotto::cli {

using api::Json;

// What must be equal for the files of a folder to be of one release.
Json folder_settings(const api::ReleaseAnswer& release, const ReadingOptions& reading);

enum class Redo { nothing, everything };

// The record of the runs that filled an output folder, `.sotto-run.json`: with which settings, so that two
// epsilons never mix there unseen, which files these runs set out to make, and which of them a --force run
// has yet to do again. It holds no count and nothing else taken from the input.
class FolderRun {
 public:
  // Throws Error(usage) if the folder was filled with other settings, or holds a file of that name that no
  // recorded run made, unless everything is to be done again. Writes nothing.
  FolderRun(std::filesystem::path folder, Json settings, const Plan& plan, Redo redo);

  [[nodiscard]] bool is_finished(const api::ReleaseFile& file) const;
  // The file there is of an earlier run that a --force run set out to replace.
  [[nodiscard]] bool is_to_redo(const api::ReleaseFile& file) const;
  // Creates the folder and its record; before the first file.
  void begin();
  // After the file stands under its name.
  void finished(const api::ReleaseFile& file);
  // Files in the folder that are none of this run's, when its settings change: they keep the old ones.
  [[nodiscard]] std::size_t left_with_old_settings() const noexcept { return left_with_old_settings_; }

 private:
  [[nodiscard]] std::filesystem::path record_path() const;
  void write() const;

  std::filesystem::path folder_;
  Json settings_;
  std::set<std::string> files_;
  std::set<std::string> to_redo_;
  std::size_t left_with_old_settings_ = 0;
};

}  // namespace sotto::cli
