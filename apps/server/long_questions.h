#pragma once
#include "server/routes.h"

// POST /v1/certificate and /v1/measure, whose answers may take minutes, and the jobs that compute them.
//
// On a model of up to kQuickModel words an answer is computed at once (200), if it needs no draws. Otherwise
// the question becomes a job: 202 with the header Location: /v1/jobs/ID.
namespace sotto::server {

inline constexpr std::size_t kQuickModel = 500;

Response answer_certificate(Service& service, const Call& call);
std::span<const Field> certificate_fields();
std::span<const Field> certificate_answers();

Response answer_measure(Service& service, const Call& call);
std::span<const Field> measure_fields();
std::span<const Field> measure_answers();

// GET and DELETE /v1/jobs/{job}. A job of another key, or of none, is 404.
Response answer_job(Service& service, const Call& call);
Response answer_job_removal(Service& service, const Call& call);
std::span<const Field> job_answers();

}  // namespace sotto::server
