#include "server/problem.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sotto/answer.h"

namespace sotto::server {

namespace {

struct Phrase {
  int status;
  std::string_view text;
};
constexpr Phrase kPhrases[] = {
    {200, "OK"},
    {202, "Accepted"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {503, "Service Unavailable"},
};

}  // namespace

std::string_view status_phrase(int status) {
  const auto* const found = std::ranges::find(kPhrases, status, &Phrase::status);
  return found == std::end(kPhrases) ? std::string_view("Unknown") : found->text;
}

void refuse_field(const std::string& detail) {
  throw Problem{.kind = &kField, .detail = detail};
}

Response problem_response(const Problem& problem) {
  const ProblemKind& kind = *problem.kind;
  api::Json json;
  json["type"] = "urn:sotto:problem:" + std::string(kind.name);
  json["title"] = kind.title;
  json["status"] = kind.status;
  json["detail"] = problem.detail;
  Response response{.status = kind.status,
                    .type = "application/problem+json",
                    .body = api::json_text(json),
                    .headers = problem.headers};
  const bool asks_again = kind.status == kTimeout.status || kind.status == kUnavailable.status;
  const auto is_retry = [](const Header& header) { return header.first == "Retry-After"; };
  if (asks_again && std::ranges::none_of(response.headers, is_retry)) {
    response.headers.emplace_back("Retry-After", "1");
  }
  return response;
}

}  // namespace sotto::server
