#pragma once
#include <functional>
#include <memory>
#include <string_view>

#include "sotto/mechanism.h"
#include "sotto/work.h"

namespace sotto::api {

// Called only if an epsilon is to be proposed. Empty: there is no model to judge it by.
using OpenModel = std::function<std::shared_ptr<const Model>()>;

// parse_setting() for a person. Where an epsilon is missing or no number, the message proposes one that suits
// this mechanism on this model, by the forecast: 2 is a fair start for tem and useless for laplace. That
// takes a second or two. Of a mechanism of vectors no number is proposed.
Setting chosen_setting(std::string_view mechanism, const ParameterTexts& texts, const OpenModel& open_model,
                       const Work& work);

}  // namespace sotto::api
