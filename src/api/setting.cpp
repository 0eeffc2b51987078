#include "api/setting.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "sotto/error.h"
#include "sotto/release.h"

namespace sotto::api {
namespace {

// How the library ends the message of an epsilon that is missing or out of range.
constexpr std::string_view kExample = "try `epsilon` ";

std::string proposal(std::string_view mechanism, ParameterTexts others, const OpenModel& open_model,
                     const Work& work) {
  // The forecast of vectors looks at every word for every draw: too slow for a search.
  if (find_mechanism(mechanism).build_vectors != nullptr) {
    return "how large it should be depends on the mechanism and on the lengths of the vectors";
  }
  try {
    others.erase("epsilon");
    const auto found =
        open_model ? epsilon_to_begin_with(mechanism, others, open_model(), work) : std::nullopt;
    if (found) {
      return fmt::format("{}{:.2g}, with which about half of the words stay as they are on this model",
                         kExample, *found);
    }
  } catch (const Error&) {  // no model, or another parameter that is wrong: told when the epsilon is there
  }
  return "how large it should be depends on the mechanism and the model; `sotto explain` shows what an "
         "epsilon does to a word";
}

}  // namespace

Setting chosen_setting(std::string_view mechanism, const ParameterTexts& texts, const OpenModel& open_model,
                       const Work& work) {
  try {
    return parse_setting(mechanism, texts);
  } catch (const Error& error) {
    const std::string_view message = error.what();
    const std::size_t at = message.rfind(kExample);
    if (at == std::string_view::npos) throw;
    throw Error(error.code(),
                std::string(message.substr(0, at)) + proposal(mechanism, texts, open_model, work));
  }
}

}  // namespace sotto::api
