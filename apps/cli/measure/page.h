#pragma once
#include <string>

#include "sotto/measure.h"

namespace sotto::cli {

// The figures of `sotto measure` as one page with plots. `command`: what was typed.
std::string measure_page(const api::MeasureAnswer& answer, std::string command, const Work& work);

}  // namespace sotto::cli
