#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/message.h"

// Errors of the service: problem documents (RFC 9457). No text of a problem holds anything that the request
// brought; it names fields, which are ours.
namespace sotto::server {

struct ProblemKind {
  int status;
  std::string_view name;  // the end of `urn:sotto:problem:...`, the type
  std::string_view title;
};

inline constexpr ProblemKind kMalformed{400, "malformed", "The request is malformed."};
inline constexpr ProblemKind kNoKey{401, "key", "The request needs a valid key."};
inline constexpr ProblemKind kScope{403, "scope", "The key does not allow this request."};
inline constexpr ProblemKind kNotFound{404, "not-found", "There is nothing at this path."};
inline constexpr ProblemKind kMethod{405, "method", "The path does not take this method."};
inline constexpr ProblemKind kTimeout{408, "timeout", "The request took too long to arrive."};
inline constexpr ProblemKind kStillRunning{409, "running",
                                           "The first request with this key is still running."};
inline constexpr ProblemKind kTooLarge{413, "too-large", "The body of the request is too large."};
inline constexpr ProblemKind kMediaType{415, "media-type", "The body must be plain JSON."};
inline constexpr ProblemKind kHost{421, "host", "The request is for another host."};
inline constexpr ProblemKind kField{422, "field", "A field of the request is not accepted."};
inline constexpr ProblemKind kWeak{422, "weak", "The setting would leave nearly all words as they are."};
inline constexpr ProblemKind kUnproven{422, "unproven", "The mechanism has no proven guarantee."};
inline constexpr ProblemKind kRetryKey{422, "idempotency", "The Idempotency-Key cannot be used."};
inline constexpr ProblemKind kBudget{429, "budget", "The budget does not allow this release."};
inline constexpr ProblemKind kRate{429, "rate", "The key sent too many requests."};
inline constexpr ProblemKind kTooManyJobs{429, "jobs", "Too many jobs of the key wait."};
inline constexpr ProblemKind kHeaders{431, "headers", "The headers of the request are too large."};
inline constexpr ProblemKind kInternal{500, "internal", "The server failed. This is a bug of ours."};
inline constexpr ProblemKind kUnavailable{503, "unavailable", "The server cannot answer now."};

// Thrown by whatever refuses a request, and turned into the answer in one place (Service::answer).
struct Problem {
  const ProblemKind* kind = &kInternal;
  std::string detail = {};  // what is allowed and what to try; never a value of the request
  std::vector<Header> headers = {};
};

// Throws Problem of kind kField (422).
[[noreturn]] void refuse_field(const std::string& detail);

// {"type", "title", "status", "detail"} as application/problem+json. 408 and 503 get Retry-After if they have
// none.
Response problem_response(const Problem& problem);

// What a status is called in the first line of an answer: "Not Found".
std::string_view status_phrase(int status);

}  // namespace sotto::server
