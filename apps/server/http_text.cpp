#include "server/http_text.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <iterator>

#include "server/problem.h"

namespace sotto::server {

std::string http_text(const Response& response, HttpEnd end) {
  std::tm utc{};
  const std::time_t now = std::time(nullptr);
  gmtime_r(&now, &utc);
  std::string text;
  text.reserve(response.body.size() + 512);
  auto out = std::back_inserter(text);
  fmt::format_to(out,
                 "HTTP/1.1 {} {}\r\nDate: {:%a, %d %b %Y %H:%M:%S} GMT\r\nContent-Type: {}\r\n"
                 "Content-Length: {}\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n",
                 response.status, status_phrase(response.status), utc, response.type, response.body.size());
  for (const auto& [name, value] : response.headers) fmt::format_to(out, "{}: {}\r\n", name, value);
  fmt::format_to(out, "Connection: {}\r\n\r\n", end.keeps_open ? "keep-alive" : "close");
  if (!end.is_head) text += response.body;
  return text;
}

}  // namespace sotto::server
