#pragma once
#include <filesystem>
#include <string>

#include "api/models.h"
#include "shared/command_line.h"
#include "shared/progress_bar.h"
#include "sotto/certificate.h"

namespace sotto::cli {

// `given` (empty: the default model), with the cache folder: $XDG_CACHE_HOME/sotto or ~/.cache/sotto.
api::ModelPlace model_place(const std::string& given);
// api::find_model() and api::open_model() of that.
std::filesystem::path model_path(const std::string& given);
std::shared_ptr<const Model> open_model(const std::string& given);

// Judges the mechanism's name and parameters before it opens the model: a slip is told at once. A calibration
// that takes long shows a bar on a terminal.
struct BuildOptions {
  unsigned threads = 0;  // 0: one per core
  ProgressBar::Mode bar = ProgressBar::Mode::on;
};
CertifiedMechanism build_chosen(const MechanismChoice& choice, const BuildOptions& options = {});

}  // namespace sotto::cli
