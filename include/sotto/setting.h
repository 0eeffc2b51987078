#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/mechanism.h"
#include "sotto/work.h"

namespace sotto {

// What would hide more than a mechanism that leaves nearly all words as they are: "`epsilon` 1.2", found by a
// search, or in words where there is no such number or its search takes long.
std::string setting_to_try(const Mechanism& mechanism, const Work& work);
// An epsilon to begin with, for somebody who gave none: with it about half of the words are expected to
// stay as they are, by the forecast of this mechanism on this model, to two digits. Takes a second or two.
// `texts`: the other parameters. Empty where there is no such number, or a calibration makes it take long.
std::optional<double> epsilon_to_begin_with(std::string_view mechanism, const ParameterTexts& texts,
                                            const std::shared_ptr<const Model>& model, const Work& work);

// Called only if an epsilon is to be proposed. Empty: there is no model to judge it by.
using OpenModel = std::function<std::shared_ptr<const Model>()>;

// parse_setting() for a person. Where an epsilon is missing or no number, the message proposes one that suits
// this mechanism on this model, by the forecast: 2 is a fair start for tem and useless for laplace. That
// takes a second or two. Of a mechanism of vectors no number is proposed.
Setting chosen_setting(std::string_view mechanism, const ParameterTexts& texts, const OpenModel& open_model,
                       const Work& work);

}  // namespace sotto
