#pragma once
#include <string>
#include <string_view>

#include "shared/answer.h"
#include "sotto/model.h"

namespace sotto::cli {

// What `model import` and `model info` both tell of a model: its size, identity, source and dropped rows.
Json model_summary(std::string_view schema, const Model& model);
// "1,234 not a word, 5 folded to a word already there, ..."
std::string dropped_text(const ModelOrigin& origin);

}  // namespace sotto::cli
