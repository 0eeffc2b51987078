#pragma once
#include <string>

#include "server/message.h"

namespace sotto::server {

struct HttpEnd {
  bool is_head = false;     // the answer has no body, but says how long it would be
  bool keeps_open = false;  // another request may follow on the connection
};
// The bytes of an answer: status line, headers, body. No Server header: the version is nobody's business.
std::string http_text(const Response& response, HttpEnd end);

}  // namespace sotto::server
