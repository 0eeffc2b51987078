#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "server/problem.h"
#include "server/routes.h"

namespace sotto::server {

namespace {

using api::Json;

Json reference(std::string_view name) {
  return {{"$ref", fmt::format("#/components/schemas/{}", name)}};
}

Json content(std::string_view type, Json schema) {
  return {{std::string(type), {{"schema", std::move(schema)}}}};
}

// "post": how OpenAPI writes a method.
std::string method_key(const Route& route) {
  std::string key(route.method);
  std::ranges::transform(key, key.begin(), [](char c) { return static_cast<char>(c - 'A' + 'a'); });
  return key;
}

// "post_v1_privatize": generated clients call their functions so.
std::string operation_name(const Route& route) {
  std::string name = method_key(route);
  for (const char c : route.path) {
    if (c != '{' && c != '}') name += c == '/' || c == '.' ? '_' : c;
  }
  return name;
}

Json operation(const Route& route) {
  Json out;
  out["operationId"] = operation_name(route);
  out["summary"] = route.summary;
  if (!route.fields.empty()) {
    out["requestBody"] = {
        {"required", true},
        {"content", content("application/json", reference(std::string(route.answer_name) + "Request"))}};
  }
  if (const std::size_t brace = route.path.find('{'); brace != std::string_view::npos) {
    out["parameters"] = Json::array({{{"name", route.path.substr(brace + 1, route.path.size() - brace - 2)},
                                      {"in", "path"},
                                      {"required", true},
                                      {"schema", {{"type", "string"}}}}});
  }
  const bool is_json = route.answer_type == Route().answer_type;
  const Json answer = is_json ? reference(route.answer_name) : Json{{"type", "string"}};
  out["responses"]["200"] = {{"description", "The answer."}, {"content", content(route.answer_type, answer)}};
  if (route.may_take_long) {
    out["responses"]["202"] = {
        {"description", "The answer takes long: a job computes it."},
        {"headers",
         {{"Location", {{"description", "The path of the job."}, {"schema", {{"type", "string"}}}}}}},
        {"content", content("application/json", reference("Job"))}};
  }
  out["responses"]["default"] = {
      {"description", "A problem document (RFC 9457). It never holds a word of the request."},
      {"content", content("application/problem+json", reference("Problem"))}};
  // Keys are optional on loopback, so the empty requirement stands beside the key.
  out["security"] = Json::array({Json::object()});
  if (route.scope != Scope::open) out["security"].push_back({{"key", Json::array()}});
  return out;
}

constexpr Field kProblemFields[] = {
    {.name = "type",
     .help = "urn:sotto:problem:... names the kind of problem.",
     .presence = Field::Presence::required},
    {.name = "title", .help = "The kind of problem in one sentence.", .presence = Field::Presence::required},
    {.name = "status",
     .help = "The HTTP status.",
     .kind = Field::Kind::integer,
     .presence = Field::Presence::required},
    {.name = "detail", .help = "What is allowed, and what to try.", .presence = Field::Presence::required},
};

}  // namespace

Json openapi_document() {
  Json document;
  document["openapi"] = "3.1.0";
  document["info"] = {
      {"title", "Sotto"}, {"summary", "Text under metric differential privacy."}, {"version", SOTTO_VERSION}};
  Json paths = Json::object();
  Json schemas = Json::object();
  for (const Route& route : routes()) {
    paths[std::string(route.path)][method_key(route)] = operation(route);
    if (!route.fields.empty()) {
      schemas[std::string(route.answer_name) + "Request"] = schema_of(route.fields, Others::refused);
    }
    if (route.answer_type == Route().answer_type) {
      schemas[std::string(route.answer_name)] = schema_of(route.answers, Others::allowed);
    }
  }
  schemas["Problem"] = schema_of(kProblemFields, Others::allowed);
  document["paths"] = std::move(paths);
  document["components"]["schemas"] = std::move(schemas);
  document["components"]["securitySchemes"]["key"] = {{"type", "http"}, {"scheme", "bearer"}};
  return document;
}

}  // namespace sotto::server
