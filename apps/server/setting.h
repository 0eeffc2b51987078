#pragma once
#include "sotto/answer.h"
#include "sotto/mechanism.h"

namespace sotto::server {

// The mechanism and its parameters of a request: fields `mechanism` (tem), `epsilon` and `parameters`, which
// check_fields() has seen. Throws Problem(422) that names the field and what is allowed. The library's own
// messages repeat what was given; these do not.
Setting setting_of(const api::Json& body);

}  // namespace sotto::server
