#pragma once
#include <string>
#include <string_view>

#include "server/message.h"

// CORS: which pages of other origins may use the service from a browser. None, unless the operator names one.
namespace sotto::server {

// "https://example.org" or "http://localhost:8000": scheme, host and perhaps a port, as browsers send it.
// Empty stays empty. Throws Error(usage) for anything else, "*" and "null" included.
std::string checked_origin(const std::string& text);

// A browser asks whether a page of the allowed origin may send a request. False without an allowed origin.
bool is_preflight(const Request& request, const std::string& allow_origin);
// The answer to it, for a path that takes these methods.
Response preflight_response(const std::string& methods);

// Tells the browser of a page of the allowed origin that the page may read the answer.
void add_cross_origin(const Request& request, const std::string& allow_origin, Response& response);

}  // namespace sotto::server
