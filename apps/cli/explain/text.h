#pragma once
#include <string>

#include "sotto/explain.h"

namespace sotto::cli {

std::string explain_text(const api::ExplainAnswer& answer, std::size_t width);

}  // namespace sotto::cli
