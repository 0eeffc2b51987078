#include "shared/model_choice.h"

#include <cstdlib>

#include "model/fetch.h"

namespace sotto::cli {

api::ModelPlace model_place(const std::string& given) {
  return {.path = given, .cache = cache_folder_of(std::getenv("XDG_CACHE_HOME"), std::getenv("HOME"))};
}

std::filesystem::path model_path(const std::string& given) {
  return api::find_model(model_place(given));
}

std::shared_ptr<const Model> open_model(const std::string& given) {
  return api::open_model(model_place(given));
}

}  // namespace sotto::cli
