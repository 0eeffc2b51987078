#pragma once
#include <cstddef>
#include <string>

#include "api/attack.h"

namespace sotto::cli {

std::string attack_text(const api::AttackAnswer& answer, std::size_t width);
// The documents, their releases and the best guesses, in clear.
std::string sentences_text(const api::AttackAnswer& answer);
// "0.4463 (0.44 to 0.45)"; "-" where there is nothing to count.
std::string share_text(const std::optional<MeasuredError>& share);

}  // namespace sotto::cli
