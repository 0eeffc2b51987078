#include "server/message.h"

#include <algorithm>

#include "server/problem.h"

namespace sotto::server {

bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::string_view Request::path() const {
  return std::string_view(target).substr(0, target.find('?'));
}

std::optional<std::string_view> Request::header(std::string_view name) const {
  std::optional<std::string_view> found;
  for (const auto& [own, value] : headers) {
    if (!same_name(own, name)) continue;
    if (found) throw Problem{.kind = &kMalformed, .detail = "a header of the request occurs twice"};
    found = value;
  }
  return found;
}

}  // namespace sotto::server
