#include "server/vectors.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/release_debits.h"
#include "api/vectors.h"
#include "server/accounts.h"
#include "server/answers.h"
#include "server/json_body.h"
#include "server/problem.h"
#include "server/service.h"
#include "server/setting.h"

namespace sotto::server {

namespace {

using api::Json;
using Kind = Field::Kind;
using Presence = Field::Presence;

constexpr Field kVectorsFields[] = {
    {.name = "vectors",
     .help = "Vectors of one length, a row each. A row counts as one word.",
     .kind = Kind::rows,
     .presence = Presence::required,
     .least = 1},
    {.name = "mechanism", .help = "The name of a mechanism that releases vectors (default privemb)."},
    kEpsilonField,
    kParametersField,
    {.name = "documents",
     .help = "The ids of the documents, one for each row: every release adds epsilon to its account.",
     .kind = Kind::texts,
     .least = 1},
    kSubjectField,
};

constexpr Field kVectorsAnswers[] = {
    kSchemaAnswer,
    kVersionAnswer,
    {.name = "vectors",
     .help = "The private vectors, a row for each that was sent.",
     .kind = Kind::rows,
     .presence = Presence::required},
    kMechanismAnswer,
    kParametersAnswer,
    {.name = "epsilon", .help = "Its nominal epsilon.", .kind = Kind::any, .presence = Presence::required},
    kGuaranteeAnswer,
    {.name = "status", .help = "proven", .presence = Presence::required},
    {.name = "facts",
     .help = "Public facts about the projection and the noise.",
     .kind = Kind::parameters,
     .presence = Presence::required},
    kSpentAnswer,
};

std::vector<double> values_of(const Json& rows) {
  std::vector<double> values;
  values.reserve(rows.size() * rows.front().size());
  for (const Json& row : rows) {
    for (const Json& value : row) values.push_back(value.get<double>());
  }
  return values;
}

Json rows_json(const std::vector<double>& values, std::size_t columns) {
  Json rows = Json::array();
  for (std::size_t first = 0; first < values.size(); first += columns) {
    rows.push_back(std::vector<double>(values.begin() + static_cast<std::ptrdiff_t>(first),
                                       values.begin() + static_cast<std::ptrdiff_t>(first + columns)));
  }
  return rows;
}

// Rows as they could stand in a request: zeros, values that do not end (1/3, 2/3, ...), and large ones.
std::vector<std::string> probe_rows(std::size_t columns) {
  std::vector<std::string> rows;
  for (const double scale : {0.0, 1.0, 1e6}) {
    Json row = Json::array();
    for (std::size_t i = 0; i < columns; ++i) row.push_back(scale * (static_cast<double>(i % 7) - 3) / 3);
    rows.push_back(row.dump());
  }
  return rows;
}

}  // namespace

ReleaseCost vectors_cost(const api::VectorRelease& release, std::size_t columns) {
  const std::vector<std::string> rows = probe_rows(columns);
  const auto released = [&](WordId kind, std::size_t count) {
    std::string body = "[" + rows[index_of(kind)];
    for (std::size_t i = 1; i < count; ++i) body += "," + rows[index_of(kind)];
    const std::vector<double> values = values_of(parse_body(body + "]"));
    const std::size_t dimension = release.answer().mechanism.vectors->output_dim();
    return rows_json(release.array({.values = values, .columns = columns}, {.threads = 1}), dimension).dump();
  };
  return measure_cost({.words = rows.size(),
                       .draw = [&](WordId kind, std::size_t draws) { (void)released(kind, draws); },
                       .release = [&](WordId kind, PublicSize size) { (void)released(kind, size.tokens); },
                       .used = thread_time});
}

std::span<const Field> vectors_fields() {
  return kVectorsFields;
}

std::span<const Field> vectors_answers() {
  return kVectorsAnswers;
}

Response answer_vectors(Service& service, const Call& call) {
  const Json& rows = call.body["vectors"];
  if (rows.size() > service.options().limits.most_tokens) {
    throw Problem{
        .kind = &kField,
        .detail = fmt::format("`vectors` has at most {} rows", service.options().limits.most_tokens)};
  }
  const Named named = named_of(call.body, "vectors");
  service.spending().check(named);
  const Setting wanted = setting_of(call.body, Releases::vectors);
  const std::size_t columns = rows.front().size();
  const std::shared_ptr<ReadyVectors> ready = service.settings().find_vectors(wanted, columns);
  const api::VectorRelease& release = *ready->release;
  const Mechanism& mechanism = release.answer().mechanism;
  check_proven(release.answer().status());
  Spending::Turn turn(service.spending(), call.request, call.sender);
  if (turn.stored()) return *turn.stored();
  const std::vector<double> values = values_of(rows);
  const std::vector<double> released = release.array({.values = values, .columns = columns}, {.threads = 1});
  call.quantum = ready->time.quantum({.texts = 1, .tokens = rows.size()});
  Json answer = api::start_answer("sotto.private-vectors/1");
  answer["vectors"] = rows_json(released, mechanism.vectors->output_dim());
  answer["mechanism"] = mechanism.info->name;
  answer["parameters"] = mechanism.parameters.texts();
  answer["epsilon"] = mechanism.claim.epsilon;
  answer["guarantee"] = mechanism.claim.guarantee;
  answer["status"] = status_name(release.answer().status());
  answer["facts"] = Json::object();
  for (const auto& [name, value] : mechanism.facts) answer["facts"][name] = value;
  std::vector<Charge> charges =
      service.spending().charges(mechanism, api::free_vector_scope(columns), named, call.sender, rows.size());
  answer["spent"] = spent_json(charges);
  return turn.debit(std::move(charges), {.body = answer.dump(), .tokens = rows.size()});
}

}  // namespace sotto::server
