#pragma once
#include <string>
#include <string_view>

#include "sotto/model.h"

namespace sotto {

std::string origin_to_json(const ModelOrigin& origin);
// Unknown keys are ignored, missing ones keep their defaults. Throws Error(bad_data), with a message
// that starts with `label`, on anything malformed and on control characters (a terminal shows these).
ModelOrigin origin_from_json(std::string_view json, const std::string& label);

}  // namespace sotto
