#include "shared/model_choice.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "model/fetch.h"
#include "shared/console.h"
#include "sotto/error.h"

namespace sotto::cli {

namespace fs = std::filesystem;

fs::path cache_folder() {
  fs::path folder = cache_folder_of(std::getenv("XDG_CACHE_HOME"), std::getenv("HOME"));
  if (!folder.empty()) return folder;
  throw Error(ErrorCode::input_output,
              "there is no cache folder: neither HOME nor XDG_CACHE_HOME is set; set one, or give --model");
}

fs::path default_model_path() {
  return cache_folder() / fmt::format("{}.sotto", kDefaultModelName);
}

fs::path model_path(const std::string& given) {
  if (!given.empty()) return given;
  fs::path path = default_model_path();
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    throw Error(ErrorCode::input_output,
                fmt::format("no --model was given, and the default model is not there ({}): run `sotto model "
                            "fetch` to get it, or give --model FILE.sotto (`sotto model import` makes one "
                            "from a file of word vectors)",
                            path.string()));
  }
  return path;
}

std::shared_ptr<const Model> open_model(const std::string& given) {
  fs::path cache;
  try {
    cache = cache_folder();
  } catch (const Error&) {  // nowhere to look for what was prepared
  }
  return Model::open(model_path(given), cache);
}

CertifiedMechanism build_chosen(const MechanismChoice& choice, const BuildOptions& options) {
  (void)parse_setting(choice.mechanism, choice.parameters);  // before the model takes its time
  ProgressBar bar(is_terminal(Stream::error) ? options.bar : ProgressBar::Mode::off);
  bar.start("calibrating");
  const auto started = std::chrono::steady_clock::now();
  const auto show = [&](const Steps& steps) {
    // A bar that comes and goes within a blink is no news.
    if (std::chrono::steady_clock::now() - started > std::chrono::milliseconds(500)) bar.update(steps);
  };
  return build_mechanism(choice.mechanism, open_model(choice.model), choice.parameters,
                         {.threads = options.threads, .progress = show});
}

}  // namespace sotto::cli
