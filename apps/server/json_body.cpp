#include "server/json_body.h"

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "server/problem.h"

namespace sotto::server {

namespace {

using api::Json;

Problem malformed(const char* detail) {
  return {.kind = &kMalformed, .detail = detail};
}

}  // namespace

Json parse_body(std::string_view body) {
  // The keys of the objects that are open, outermost first.
  std::vector<std::set<std::string>> open;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::object_start || event == Event::array_start) {
      if (depth >= kDeepest) throw malformed("the JSON of the body is nested too deeply");
      if (event == Event::object_start) open.emplace_back();
    } else if (event == Event::object_end) {
      open.pop_back();
    } else if (event == Event::key && !open.back().insert(parsed.get<std::string>()).second) {
      throw malformed("an object of the body has the same key twice");
    }
    return true;
  };
  try {
    return Json::parse(body.begin(), body.end(), watch);
  } catch (const Json::out_of_range&) {
    throw malformed("a number of the body is too large for a double");
  } catch (const Json::exception&) {  // its what() quotes the body
    throw malformed("the body is not valid JSON in UTF-8");
  }
}

}  // namespace sotto::server
