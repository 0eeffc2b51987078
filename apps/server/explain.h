#pragma once
#include "server/routes.h"

namespace sotto::server {

// POST /v1/explain: what one word may become. Nothing is released, so nothing is debited.
Response answer_explain(Service& service, const Call& call);

std::span<const Field> explain_fields();
std::span<const Field> explain_answers();

}  // namespace sotto::server
