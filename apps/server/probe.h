#pragma once
#include "server/http.h"

namespace sotto::server {

// Asks the server that listens as `options` say, on this machine, for /readyz: true if the answer is 200
// within five seconds. False for everything else: nobody listens, no answer, not ready. Under TLS the
// certificate is not checked: the answer decides nothing but the health of a process of our own machine.
bool is_ready(const HttpOptions& options);

}  // namespace sotto::server
