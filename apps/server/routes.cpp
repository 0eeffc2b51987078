#include "server/routes.h"

#include <nlohmann/json.hpp>

#include "api/ledger.h"
#include "api/mechanisms.h"
#include "api/models.h"
#include "server/privatize.h"
#include "server/problem.h"
#include "server/service.h"
#include "sotto/error.h"

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

constexpr std::string_view kMetricsType = "text/plain; version=0.0.4";

Response answer_metrics(Service& service, const Call& /*call*/) {
  return {.type = std::string(kMetricsType), .body = service.counts().text(service.is_ready())};
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

// The balance of one account, without a debit.
Response answer_ledger(Service& service, const Call& call) {
  const bool is_subject = call.body.contains("subject");
  if (is_subject == call.body.contains("document")) {
    throw Problem{.kind = &kField, .detail = "give either `subject` or `document`"};
  }
  const SpendingOptions& spending = service.spending().options();
  if (!spending.ledger) throw Problem{.kind = &kUnavailable, .detail = "this server has no ledger"};
  const std::string id = call.body[is_subject ? "subject" : "document"];
  const std::string metric = call.body.value("metric", "euclidean");
  Charge nothing{
      .account = {.role = is_subject ? AccountRole::subject : AccountRole::document,
                  .id = id,
                  .scope = {.model = service.model()->identity(), .metric = metric, .kind = "words"}},
      .limit = is_subject ? spending.subject_budget : spending.document_budget};
  try {
    Json answer = api::start_answer("sotto.balance/1");
    answer.update(api::to_json(spending.ledger->check({nothing}).front()));
    return {.body = api::json_text(answer)};
  } catch (const LimitReached&) {  // the limit is below what was spent before it was set
    nothing.limit.reset();
  } catch (const Error&) {
    throw Problem{.kind = &kUnavailable, .detail = "the ledger does not answer"};
  }
  throw Problem{.kind = &kBudget, .detail = "the account has spent more than its limit"};
}

constexpr Field kLedgerFields[] = {
    {.name = "subject",
     .help = "The id of a subject. Give `subject` or `document`.",
     .least = 1,
     .most = 1'024},
    {.name = "document", .help = "The id of a document.", .least = 1, .most = 1'024},
    {.name = "metric",
     .help = "Epsilons of different metrics are counted apart (default euclidean).",
     .least = 1,
     .most = 256},
};

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
constexpr Field kBalanceAnswers[] = {
    kSchema,
    kVersion,
    {.name = "account", .help = "subject or document", .presence = Presence::required},
    {.name = "spent",
     .help = "What the account has spent: a decimal with six places.",
     .presence = Presence::required},
    {.name = "limit", .help = "null: there is none.", .kind = Kind::any, .presence = Presence::required},
    {.name = "remaining",
     .help = "null: there is no limit.",
     .kind = Kind::any,
     .presence = Presence::required}};
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
      {.method = "POST",
       .path = "/v1/ledger",
       .summary = "Tell what a document or a subject has spent.",
       .answer_name = "Balance",
       .scope = Scope::read,
       .needs_model = true,
       .fields = kLedgerFields,
       .answers = kBalanceAnswers,
       .answer = answer_ledger},
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
       .path = "/metrics",
       .summary = "Count answers by route, status and number of tokens, for Prometheus.",
       .answer_name = "Metrics",
       .scope = Scope::admin,
       .is_quick = true,
       .answer_type = kMetricsType,
       .answer = answer_metrics},
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
