#pragma once
#include <nlohmann/json.hpp>

#include "sotto/answer.h"

namespace sotto::cli {

// A JSON answer on standard output.
void print_answer(const api::Json& answer);

}  // namespace sotto::cli
