#include "shared/model_choice.h"

#include <cstdlib>

#include "model/fetch.h"
#include "shared/console.h"

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

CertifiedMechanism build_chosen(const MechanismChoice& choice, const BuildOptions& options) {
  const Setting setting =
      parse_setting(choice.mechanism, choice.parameters);  // before the model takes its time
  ProgressBar bar(is_terminal(Stream::error) ? options.bar : ProgressBar::Mode::off);
  const auto model = open_model(choice.model);
  return build_mechanism(setting, model, bar.work(options.threads).at("calibrating"));
}

}  // namespace sotto::cli
