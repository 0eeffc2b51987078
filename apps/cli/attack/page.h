#pragma once
#include <string>

#include "api/attack.h"

namespace sotto::cli {

// The errors as one HTML page with plots. It holds no text and no name of a file.
std::string attack_page(const api::AttackAnswer& answer);

}  // namespace sotto::cli
