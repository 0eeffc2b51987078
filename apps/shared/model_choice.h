#pragma once
#include <filesystem>
#include <string>

#include "api/models.h"

namespace sotto::cli {

// `given` (empty: the default model), with the cache folder: $XDG_CACHE_HOME/sotto or ~/.cache/sotto.
api::ModelPlace model_place(const std::string& given);
// api::find_model() and api::open_model() of that.
std::filesystem::path model_path(const std::string& given);
std::shared_ptr<const Model> open_model(const std::string& given);

}  // namespace sotto::cli
