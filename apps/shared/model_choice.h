#pragma once
#include <filesystem>
#include <string>

#include "shared/command_line.h"
#include "shared/progress_bar.h"
#include "sotto/certificate.h"

namespace sotto::cli {

// $XDG_CACHE_HOME/sotto or ~/.cache/sotto. Throws Error(input_output) if the environment has neither.
std::filesystem::path cache_folder();
// The file that is used when no --model is given.
std::filesystem::path default_model_path();
// `given`, or the default model if it is empty. Throws input_output that says how to get one.
std::filesystem::path model_path(const std::string& given);

// Opened with the cache, if there is one, so that what was prepared is found.
std::shared_ptr<const Model> open_model(const std::string& given);

// Judges the mechanism's name and parameters before it opens the model: a slip is told at once. A calibration
// that takes long shows a bar on a terminal.
struct BuildOptions {
  unsigned threads = 0;  // 0: one per core
  ProgressBar::Mode bar = ProgressBar::Mode::on;
};
CertifiedMechanism build_chosen(const MechanismChoice& choice, const BuildOptions& options = {});

}  // namespace sotto::cli
