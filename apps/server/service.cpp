#include "server/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "api/models.h"
#include "core/stop.h"
#include "server/cross_origin.h"
#include "server/json_body.h"
#include "server/problem.h"
#include "server/routes.h"
#include "sotto/error.h"

namespace sotto::server {

namespace {

// What stands for the last part of the route's path, if that is in braces; else empty.
std::string_view item_of(const Route& route, std::string_view path) {
  const std::size_t brace = std::min(route.path.find('{'), path.size());
  return brace == path.size() ? std::string_view() : path.substr(brace);
}

bool has_path(const Route& route, std::string_view path) {
  const std::size_t brace = route.path.find('{');
  if (brace == std::string_view::npos) return route.path == path;
  const std::string_view item = item_of(route, path);
  return path.starts_with(route.path.substr(0, brace)) && !item.empty() &&
         item.find('/') == std::string_view::npos;
}

const Route* find_route(const Request& request) {
  const std::string_view path = request.path();
  const auto found = std::ranges::find_if(
      routes(), [&](const Route& route) { return route.method == request.method && has_path(route, path); });
  return found == routes().end() ? nullptr : &*found;
}

// "GET, HEAD, DELETE"; empty: there is nothing at this path.
std::string methods_of(std::string_view path) {
  std::string methods;
  for (const Route& route : routes()) {
    if (!has_path(route, path)) continue;
    if (!methods.empty()) methods += ", ";
    methods += route.method == "GET" ? "GET, HEAD" : route.method;
  }
  return methods;
}

// No route: the question of a browser (CORS), 404, or 405 if the path has other methods.
Response answer_without_route(const Request& request, const std::string& allow_origin) {
  const std::string allowed = methods_of(request.path());
  if (allowed.empty()) {
    throw Problem{.kind = &kNotFound, .detail = "GET /openapi.json lists what there is"};
  }
  if (is_preflight(request, allow_origin)) return preflight_response(allowed);
  throw Problem{.kind = &kMethod, .detail = "this path takes " + allowed, .headers = {{"Allow", allowed}}};
}

// "application/json", perhaps with a charset, which can only be UTF-8.
bool is_json(std::string_view type) {
  const auto trimmed = [](std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
  };
  const std::size_t semicolon = std::min(type.find(';'), type.size());
  if (!same_name(trimmed(type.substr(0, semicolon)), "application/json")) return false;
  if (semicolon == type.size()) return true;
  const std::string_view parameter = trimmed(type.substr(semicolon + 1));
  return same_name(parameter, "charset=utf-8") || same_name(parameter, "charset=\"utf-8\"");
}

api::Json body_of(const Request& request, const Route& route) {
  if (route.method != "POST") {
    if (!request.body.empty()) throw Problem{.kind = &kMalformed, .detail = "this request has no body"};
    return nullptr;
  }
  if (!is_json(request.header("Content-Type").value_or(""))) {
    throw Problem{.kind = &kMediaType, .detail = "send the header Content-Type: application/json"};
  }
  if (request.header("Content-Encoding")) {
    throw Problem{.kind = &kMediaType, .detail = "send the body without a Content-Encoding"};
  }
  api::Json body = parse_body(request.body);
  check_fields(body, route.fields);
  return body;
}

// The host of a Host header without its port.
std::string_view host_name(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

}  // namespace

Service::Service(ServiceOptions options)
    : options_(std::move(options)),
      spending_(options_.spending),
      rate_(options_.requests_per_second),
      jobs_(options_.jobs) {}
Service::~Service() = default;

void Service::make_ready() {
  const StopScope scope(&is_given_up_);
  model_ = options_.open_model();
  api::ensure_prepared(model_, {});
  settings_ = std::make_unique<SettingsCache>(
      model_, options_.pads_answers ? SettingsCache::Cost::measured : SettingsCache::Cost::ignored);
  is_ready_ = true;
}

void Service::check_host(const Request& request) const {
  if (!options_.only_local_names) return;
  const std::optional<std::string_view> host = request.header("Host");
  if (!host) return;  // HTTP/1.0; browsers always send it
  const std::string_view name = host_name(*host);
  const bool is_ours = same_name(name, "localhost") || name == "[::1]" || name.starts_with("127.");
  if (!is_ours) {
    throw Problem{.kind = &kHost,
                  .detail = "without keys the server answers only requests for localhost or 127.0.0.1"};
  }
}

// Who sent the request, as the hash of the key; empty if no key is asked for.
std::string Service::check_key(const Request& request, Scope scope) const {
  if (!options_.keys && scope == Scope::admin && options_.is_insecure) {
    throw Problem{.kind = &kScope, .detail = "beyond this machine this path needs a server with keys"};
  }
  if (!options_.keys || scope == Scope::open) return {};
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view given = request.header("Authorization").value_or("");
  const bool is_bearer = same_name(given.substr(0, kBearer.size()), kBearer);
  const ClientKey* const key = options_.keys->find(is_bearer ? given.substr(kBearer.size()) : "");
  if (key == nullptr) {
    throw Problem{.kind = &kNoKey,
                  .detail = "send the header Authorization: Bearer KEY",
                  .headers = {{"WWW-Authenticate", "Bearer"}}};
  }
  if (!key->allows(scope)) {
    throw Problem{.kind = &kScope,
                  .detail = fmt::format("this path needs a key with scope `{}`", scope_name(scope))};
  }
  return hex_text(key->digest);
}

Response Service::dispatch(const Request& request, std::optional<Clock::duration>& quantum) {
  check_host(request);
  const Route* const route = find_route(request);
  if (route == nullptr) return answer_without_route(request, options_.allow_origin);
  std::string sender = check_key(request, route->scope);
  if (!sender.empty() && !rate_.admits(sender, Clock::now())) {
    throw Problem{
        .kind = &kRate, .detail = "wait, then send fewer requests", .headers = {{"Retry-After", "1"}}};
  }
  if (request.has_query()) throw Problem{.kind = &kField, .detail = "this path takes no query"};
  if (route->needs_model && !is_ready_) {
    throw Problem{.kind = &kUnavailable,
                  .detail = "the model is being prepared; GET /readyz tells when that is done",
                  .headers = {{"Retry-After", "5"}}};
  }
  const api::Json body = body_of(request, *route);
  return route->answer(*this, {.request = request,
                               .body = body,
                               .sender = std::move(sender),
                               .quantum = quantum,
                               .item = std::string(item_of(*route, request.path()))});
}

void Service::note(const Answered& answered) noexcept {
  try {
    counts_.add(answered);
    if (options_.log) options_.log(log_line(answered, new_request_id()));
  } catch (...) {
    // A log that cannot be written stops nobody's answer.
  }
}

Response Service::answer(const Request& request) noexcept {
  const Clock::time_point started = Clock::now();
  const StopScope scope(&is_given_up_);
  Response response;
  std::optional<Clock::duration> quantum;
  try {
    response = dispatch(request, quantum);
  } catch (const Problem& problem) {
    response = problem_response(problem);
  } catch (const Stopped&) {
    response = problem_response({.kind = &kUnavailable, .detail = "the server is stopping"});
  } catch (...) {
    // No what(): a library may quote the text that it was given.
    response = problem_response(
        {.kind = &kInternal, .detail = "the request was not answered; nothing was released"});
  }
  const Route* const route = find_route(request);
  note({.route = route == nullptr ? "none" : route->path,
        .status = response.status,
        .duration = Clock::now() - started,
        .tokens = response.tokens});
  response.quantum = quantum;
  add_cross_origin(request, options_.allow_origin, response);
  if (options_.is_insecure) response.headers.emplace_back("Sotto-Insecure", "no keys or no TLS");
  return response;
}

std::optional<Response> Service::answer_quickly(const Request& request) noexcept {
  const Route* const route = find_route(request);
  if (route != nullptr && !route->is_quick) return std::nullopt;
  return answer(request);
}

}  // namespace sotto::server
