#pragma once
#include "server/routes.h"

namespace sotto::server {

// POST /v1/vectors: vectors that are no words of the model. All rows are released or none is.
Response answer_vectors(Service& service, const Call& call);

std::span<const Field> vectors_fields();
std::span<const Field> vectors_answers();

}  // namespace sotto::server
