#pragma once
#include <string>

#include "sotto/measure.h"

namespace sotto::cli {

// For a person, in aligned rows.
std::string measure_text(const api::MeasureAnswer& answer, std::size_t width);

}  // namespace sotto::cli
