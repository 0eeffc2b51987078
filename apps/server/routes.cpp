#include "server/routes.h"

#include <nlohmann/json.hpp>

#include "api/mechanisms.h"
#include "api/models.h"
#include "server/privatize.h"
#include "server/problem.h"
#include "server/service.h"

namespace sotto::server {

namespace {

using api::Json;
using Kind = Field::Kind;
using Presence = Field::Presence;

Response answer_health(Service& /*service*/, const Call& /*call*/) {
  Json answer = api::start_answer("sotto.health/1");
  answer["alive"] = true;
  return {.body = api::json_text(answer)};
}

Response answer_readiness(Service& service, const Call& /*call*/) {
  if (!service.is_ready()) {
    throw Problem{.kind = &kUnavailable, .detail = "the model is being prepared, or the server is stopping"};
  }
  Json answer = api::start_answer("sotto.readiness/1");
  answer["ready"] = true;
  return {.body = api::json_text(answer)};
}

Response answer_openapi(Service& /*service*/, const Call& /*call*/) {
  static const std::string kText = api::json_text(openapi_document());
  return {.body = kText};
}

Response answer_mechanisms(Service& /*service*/, const Call& /*call*/) {
  return {.body = api::json_text(api::to_json(api::list_mechanisms({})))};
}

// Without files and folders of the server's machine.
Response answer_models(Service& service, const Call& /*call*/) {
  const Model& model = *service.model();
  Json answer = api::start_answer("sotto.models/1");
  Json own = api::model_json(model);
  own["words"] = model.size();
  own["dimension"] = model.dim();
  answer["models"] = Json::array({own});
  return {.body = api::json_text(answer)};
}

constexpr Field kSchema = {
    .name = "schema", .help = "The name and version of this form of answer.", .presence = Presence::required};
constexpr Field kVersion = {
    .name = "sotto_version", .help = "The version of the server.", .presence = Presence::required};
constexpr Field kHealthAnswers[] = {
    kSchema,
    kVersion,
    {.name = "alive", .help = "Always true.", .kind = Kind::flag, .presence = Presence::required}};
constexpr Field kReadinessAnswers[] = {kSchema,
                                       kVersion,
                                       {.name = "ready",
                                        .help = "Always true; 503 otherwise.",
                                        .kind = Kind::flag,
                                        .presence = Presence::required}};
constexpr Field kMechanismsAnswers[] = {
    kSchema,
    kVersion,
    {.name = "mechanisms", .help = "The registry.", .kind = Kind::objects, .presence = Presence::required}};
constexpr Field kModelsAnswers[] = {kSchema,
                                    kVersion,
                                    {.name = "models",
                                     .help = "Name, identity, words and dimension.",
                                     .kind = Kind::objects,
                                     .presence = Presence::required}};

}  // namespace

std::string_view scope_name(Scope scope) {
  constexpr std::string_view kNames[] = {"open", "privatize", "read", "admin"};
  return kNames[static_cast<std::size_t>(scope)];
}

std::span<const Route> routes() {
  static const Route kRoutes[] = {
      {.method = "POST",
       .path = "/v1/privatize",
       .summary = "Replace the words of texts by random ones.",
       .answer_name = "Privatized",
       .scope = Scope::privatize,
       .needs_model = true,
       .fields = privatize_fields(),
       .answers = privatize_answers(),
       .answer = answer_privatize},
      {.method = "GET",
       .path = "/v1/mechanisms",
       .summary = "List the mechanisms with their parameters, guarantee, status and caveats.",
       .answer_name = "Mechanisms",
       .scope = Scope::read,
       .answers = kMechanismsAnswers,
       .answer = answer_mechanisms},
      {.method = "GET",
       .path = "/v1/models",
       .summary = "List the models that the server offers.",
       .answer_name = "Models",
       .scope = Scope::read,
       .needs_model = true,
       .answers = kModelsAnswers,
       .answer = answer_models},
      {.method = "GET",
       .path = "/openapi.json",
       .summary = "This description of the service.",
       .answer_name = "Anything",
       .is_quick = true,
       .answer = answer_openapi},
      {.method = "GET",
       .path = "/healthz",
       .summary = "Tell that the server is alive.",
       .answer_name = "Health",
       .is_quick = true,
       .answers = kHealthAnswers,
       .answer = answer_health},
      {.method = "GET",
       .path = "/readyz",
       .summary = "Tell whether the server can answer: the model is ready, and the server is not stopping.",
       .answer_name = "Readiness",
       .is_quick = true,
       .answers = kReadinessAnswers,
       .answer = answer_readiness},
  };
  return kRoutes;
}

}  // namespace sotto::server
