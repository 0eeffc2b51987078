#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "server/fields.h"
#include "server/message.h"

// The one table of what the service answers. Dispatch, 404 and 405, checks of the fields, the OpenAPI
// document and the tests walk it.
namespace sotto::server {

class Service;

// What a key must allow. `open`: no key is needed.
enum class Scope { open, privatize, read, admin };
std::string_view scope_name(Scope scope);

// A request that has passed the checks of its route.
struct Call {
  const Request& request;
  const api::Json& body;    // an object that fits the route's fields; null for a route without fields
  std::string sender = {};  // who sent it: the hash of the key; empty without keys
  // Set as soon as a draw is done, before anything else can fail: then errors are padded too (padding.h).
  std::optional<Clock::duration>& quantum;
  std::string item = {};  // what stands for the last part of the route's path, if that is in braces
};

struct Route {
  std::string_view method;  // "GET" (which also answers HEAD), "POST" or "DELETE"
  std::string_view path;    // the last part may be in braces: "/v1/jobs/{job}"
  std::string_view summary;
  std::string_view answer_name;  // of the answer's schema in the OpenAPI document
  Scope scope = Scope::open;
  bool is_quick = false;       // answered by an I/O thread: it computes nothing
  bool needs_model = false;    // 503 until the model is ready
  bool may_take_long = false;  // may also answer 202 with a job
  std::string_view answer_type = "application/json";
  std::span<const Field> fields = {};   // of the body
  std::span<const Field> answers = {};  // of the answer
  Response (*answer)(Service& service, const Call& call) = nullptr;
};

std::span<const Route> routes();

// The OpenAPI 3.1 document, made from the table.
api::Json openapi_document();

}  // namespace sotto::server
