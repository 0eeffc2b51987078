#include "server/cross_origin.h"

#include <algorithm>

#include "sotto/error.h"

namespace sotto::server {

namespace {

// Compared byte for byte: browsers write an origin in one way only.
bool has_header(const Request& request, std::string_view name, std::string_view value) {
  return std::ranges::any_of(request.headers, [&](const Header& header) {
    return same_name(header.first, name) && (value.empty() || header.second == value);
  });
}

}  // namespace

std::string checked_origin(const std::string& text) {
  if (text.empty()) return text;
  const std::string_view given = text;
  const bool is_web = given.starts_with("https://") || given.starts_with("http://");
  const std::string_view host = is_web ? given.substr(given.find("//") + 2) : "";
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == ':' || c == '[' ||
           c == ']';
  };
  if (host.empty() || !std::ranges::all_of(host, fits)) {
    throw Error(ErrorCode::usage,
                "`allow-origin` takes one origin as browsers send it: scheme, host in lower case and perhaps "
                "a port, such as https://example.org, without a path");
  }
  return text;
}

bool is_preflight(const Request& request, const std::string& allow_origin) {
  return !allow_origin.empty() && request.method == "OPTIONS" &&
         has_header(request, "Origin", allow_origin) &&
         has_header(request, "Access-Control-Request-Method", "");
}

Response preflight_response(const std::string& methods) {
  return {.type = "text/plain",
          .headers = {{"Access-Control-Allow-Methods", methods},
                      {"Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key"},
                      {"Access-Control-Max-Age", "600"}}};
}

void add_cross_origin(const Request& request, const std::string& allow_origin, Response& response) {
  if (allow_origin.empty()) return;
  response.headers.emplace_back("Vary", "Origin");
  if (!has_header(request, "Origin", allow_origin)) return;
  response.headers.emplace_back("Access-Control-Allow-Origin", allow_origin);
  response.headers.emplace_back("Access-Control-Expose-Headers",
                                "Location, Retry-After, Idempotency-Replayed, Sotto-Insecure");
}

}  // namespace sotto::server
