#pragma once
#include <string>

#include "sotto/model.h"

namespace sotto::cli {

// "1,234 not a word, 5 folded to a word already there, ..."
std::string dropped_text(const ModelOrigin& origin);

}  // namespace sotto::cli
