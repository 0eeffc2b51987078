#pragma once
#include "server/routes.h"

namespace sotto::server {

// POST /v1/guess: what the best attacker guesses from a release alone. It never sees an original.
Response answer_guess(Service& service, const Call& call);

std::span<const Field> guess_fields();
std::span<const Field> guess_answers();

}  // namespace sotto::server
