#pragma once
#include <string_view>

#include "sotto/answer.h"

namespace sotto::server {

// How deeply objects and arrays of a request may be nested. No request needs more than three levels.
inline constexpr int kDeepest = 16;

// Strict JSON (RFC 8259). Throws Problem(400) for anything else: malformed JSON, bad UTF-8, half of a
// surrogate pair, a key that an object has twice, a number that no double holds (1e400), deep nesting. No
// message quotes the body.
api::Json parse_body(std::string_view body);

}  // namespace sotto::server
