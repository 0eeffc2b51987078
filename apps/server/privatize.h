#pragma once
#include "server/routes.h"

namespace sotto::server {

// POST /v1/privatize. All texts of a request are released or none is.
Response answer_privatize(Service& service, const Call& call);

std::span<const Field> privatize_fields();
std::span<const Field> privatize_answers();

}  // namespace sotto::server
