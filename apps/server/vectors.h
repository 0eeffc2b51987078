#pragma once
#include "api/vectors.h"
#include "server/padding.h"
#include "server/routes.h"

namespace sotto::server {

// POST /v1/vectors: vectors that are no words of the model. All rows are released or none is.
Response answer_vectors(Service& service, const Call& call);

// What a release of a row takes, from its text in the request to its text in the answer. Rows of several
// kinds are tried, none of them from a request.
ReleaseCost vectors_cost(const api::VectorRelease& release, std::size_t columns);

std::span<const Field> vectors_fields();
std::span<const Field> vectors_answers();

}  // namespace sotto::server
