#include "shared/setting_choice.h"

#include <fmt/format.h>

#include "shared/model_choice.h"
#include "sotto/error.h"
#include "sotto/release.h"

namespace sotto::cli {

namespace {

// How the library ends the message of a parameter that is missing or out of range.
constexpr std::string_view kExample = "try `epsilon` ";

std::string proposal(const MechanismChoice& choice) {
  try {
    ParameterTexts others = choice.parameters;
    others.erase("epsilon");
    const auto found =
        api::epsilon_to_begin_with(choice.mechanism, others, open_model(choice.model), Work{.threads = 0});
    if (found) {
      return fmt::format("{}{:.2g}, with which about half of the words stay as they are on this model",
                         kExample, *found);
    }
  } catch (const Error&) {  // no model, or another parameter that is wrong: told when the epsilon is there
  }
  return "`sotto explain WORD` shows what an epsilon does, and its size depends on the mechanism and the "
         "model";
}

}  // namespace

Setting chosen_setting(const MechanismChoice& choice) {
  try {
    return parse_setting(choice.mechanism, choice.parameters);
  } catch (const Error& error) {
    const std::string_view message = error.what();
    const std::size_t at = message.rfind(kExample);
    if (at == std::string_view::npos) throw;
    throw Error(error.code(), std::string(message.substr(0, at)) + proposal(choice));
  }
}

}  // namespace sotto::cli
