#include "server/routes.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "api/ledger.h"
#include "api/mechanisms.h"
#include "api/models.h"
#include "api/release_debits.h"
#include "server/answers.h"
#include "server/explain.h"
#include "server/guess.h"
#include "server/long_questions.h"
#include "server/page.h"
#include "server/privatize.h"
#include "server/problem.h"
#include "server/service.h"
#include "server/vectors.h"
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
  if (call.body.contains("metric") && call.body.contains("dimension")) {
    throw Problem{
        .kind = &kField,
        .detail = "`metric` names an account of words, `dimension` an account of vectors; give one of them"};
  }
  const AccountScope scope = call.body.contains("dimension")
                                 ? api::free_vector_scope(call.body["dimension"])
                                 : AccountScope{.model = service.model()->identity(),
                                                .metric = call.body.value("metric", "euclidean"),
                                                .kind = "words"};
  Charge nothing{.account = {.role = is_subject ? AccountRole::subject : AccountRole::document,
                             .id = id,
                             .scope = scope},
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
     .help = "The metric of an account of words (default euclidean). Each metric has an account of its own.",
     .least = 1,
     .most = 256},
    {.name = "dimension",
     .help = "The account of vectors with this many values, which is counted apart from that of words.",
     .kind = Kind::integer,
     .least = 1,
     .most = 1'000'000},
};

constexpr Field kHealthAnswers[] = {
    kSchemaAnswer,
    kVersionAnswer,
    {.name = "alive", .help = "Always true.", .kind = Kind::flag, .presence = Presence::required}};
constexpr Field kReadinessAnswers[] = {kSchemaAnswer,
                                       kVersionAnswer,
                                       {.name = "ready",
                                        .help = "Always true; 503 otherwise.",
                                        .kind = Kind::flag,
                                        .presence = Presence::required}};
constexpr Field kMechanismsAnswers[] = {
    kSchemaAnswer,
    kVersionAnswer,
    {.name = "mechanisms", .help = "The registry.", .kind = Kind::objects, .presence = Presence::required}};
constexpr Field kBalanceAnswers[] = {
    kSchemaAnswer,
    kVersionAnswer,
    {.name = "account", .help = "subject or document", .presence = Presence::required},
    {.name = "spent",
     .help = "What the account has spent: a decimal with six places.",
     .presence = Presence::required},
    {.name = "limit", .help = "null: there is none.", .kind = Kind::any, .presence = Presence::required},
    {.name = "remaining",
     .help = "null: there is no limit.",
     .kind = Kind::any,
     .presence = Presence::required}};
constexpr Field kModelsAnswers[] = {kSchemaAnswer,
                                    kVersionAnswer,
                                    {.name = "models",
                                     .help = "Name, identity, words and dimension.",
                                     .kind = Kind::objects,
                                     .presence = Presence::required}};

// What the service answers to programs; the files of the playground follow.
std::vector<Route> service_routes() {
  return {
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
       .path = "/v1/vectors",
       .summary = "Release vectors: project them, add noise, round them to a grid.",
       .answer_name = "PrivateVectors",
       .scope = Scope::privatize,
       .needs_model = true,
       .fields = vectors_fields(),
       .answers = vectors_answers(),
       .answer = answer_vectors},
      {.method = "POST",
       .path = "/v1/explain",
       .summary = "Tell what one word may become, with its neighbours on a map.",
       .answer_name = "Explained",
       .scope = Scope::read,
       .needs_model = true,
       .fields = explain_fields(),
       .answers = explain_answers(),
       .answer = answer_explain},
      {.method = "POST",
       .path = "/v1/guess",
       .summary = "Tell what the best attacker guesses from a private text alone, word by word.",
       .answer_name = "Guessed",
       .scope = Scope::read,
       .needs_model = true,
       .fields = guess_fields(),
       .answers = guess_answers(),
       .answer = answer_guess},
      {.method = "POST",
       .path = "/v1/certificate",
       .summary = "Compute what a mechanism loses on the model, over all pairs of words.",
       .answer_name = "Certificate",
       .scope = Scope::read,
       .needs_model = true,
       .may_take_long = true,
       .fields = certificate_fields(),
       .answers = certificate_answers(),
       .answer = answer_certificate},
      {.method = "POST",
       .path = "/v1/measure",
       .summary = "Measure what the best attacker learns from an output, and what use is left.",
       .answer_name = "Measurement",
       .scope = Scope::read,
       .needs_model = true,
       .may_take_long = true,
       .fields = measure_fields(),
       .answers = measure_answers(),
       .answer = answer_measure},
      {.method = "GET",
       .path = "/v1/jobs/{job}",
       .summary = "Tell how far a job is, and its result.",
       .answer_name = "Job",
       .scope = Scope::read,
       .answers = job_answers(),
       .answer = answer_job},
      {.method = "DELETE",
       .path = "/v1/jobs/{job}",
       .summary = "Cancel a job, or forget one that is finished.",
       .answer_name = "Job",
       .scope = Scope::read,
       .answers = job_answers(),
       .answer = answer_job_removal},
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
}

}  // namespace

std::string_view scope_name(Scope scope) {
  constexpr std::string_view kNames[] = {"open", "privatize", "read", "admin"};
  return kNames[static_cast<std::size_t>(scope)];
}

std::span<const Route> routes() {
  static const std::vector<Route> kRoutes = [] {
    std::vector<Route> all = service_routes();
    for (const PageFile& file : page_files()) all.push_back(page_route(file));
    return all;
  }();
  return kRoutes;
}

}  // namespace sotto::server
