#include "api/dossier.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "api/answer_part.h"
#include "sotto/certificate.h"
#include "sotto/error.h"

namespace sotto::api {

namespace {

constexpr PartKind kCertificate = {"certificate", "sotto.certificate-answer/1", "certify --json"};
constexpr PartKind kAudit = {"audit", "sotto.audit/1", "audit --json"};

std::optional<ReportJson> read_part(const PartKind& kind, const ReportJson& report,
                                    const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  ReportJson part = parse_part(kind, *text);
  // A part about another release would make the dossier false.
  check_same(kind, part, subject_of(report), "the report");
  return part;
}

ReportJson read_report(const DossierRequest& request) {
  ReportJson report = parse_report(request.report);
  const auto schema = text_field(report, "schema");
  if (!schema || !schema->starts_with("sotto.release-report/")) {
    refuse_part("`report` must be the JSON report of a release of text (`privatize --report FILE.json`)");
  }
  if (text_field(field(report, "model"), "identity") != request.model->identity()) {
    refuse_part("the report is about another model than `model`: their identities differ");
  }
  return report;
}

// The examples of the release page, made again from the model. Empty odds and lines if the mechanism cannot
// be built, which `verified` then says.
Illustration examples_of(const ReportJson& report, const DossierRequest& request, const Work& work) {
  const auto name = text_field(report, "mechanism");
  const auto parameters = texts_field(report, "parameters");
  if (!name || !parameters) return {};
  CertifiedMechanism built = build_mechanism(*name, request.model, *parameters, work);
  if (number_field(report, "certified_epsilon")) add_certificate(built, work);
  const ReportJson& unknown = field(report, "unknown_words");
  const PrivatizerOptions options{
      .unknown = parse_unknown_words(text_field(unknown, "policy").value_or("anchor")),
      .anchor = text_field(unknown, "anchor").value_or("")};
  const Forecast expected = forecast(built.mechanism, {.threads = work.threads});
  return illustrate({.privatizer = Privatizer(built.mechanism, options),
                     .certificate = built.certificate,
                     .expected = expected,
                     .seed_not_private = request.seed_not_private},
                    work);
}

void add_ledger(DossierAnswer& answer, const DossierRequest& request) {
  if (!request.ledger) return;
  if (request.subject.empty()) {
    throw Error(ErrorCode::usage, "`ledger` needs `subject`: the person or tenant whose accounts are shown");
  }
  LedgerShowAnswer shown =
      show_ledger({.ledger = request.ledger, .query = {.role = AccountRole::subject, .id = request.subject}});
  std::erase_if(shown.rows, [&](const LedgerShowAnswer::Row& row) {
    return row.account.scope.model != request.model->identity();
  });
  answer.ledger = std::move(shown);
  answer.ledger_check = verify_ledger({.ledger = request.ledger});
}

}  // namespace

std::vector<std::string> DossierAnswer::objections() const {
  std::vector<std::string> out;
  for (const VerifyCheck& check : verified.result.checks) {
    if (check.outcome != VerifyCheck::Outcome::wrong) continue;
    out.push_back(fmt::format("The report is wrong about {}: {}.", check.name, check.reason));
  }
  if (certificate && field(*certificate, "holds") == false) {
    out.emplace_back("The certificate says that the claimed epsilon does not hold on this vocabulary.");
  }
  if (audit && text_field(*audit, "verdict") == "violated") {
    out.emplace_back("The audit found a violation of the promise.");
  }
  if (ledger_check && !ledger_check->holds()) out.push_back("The ledger: " + ledger_check->verdict() + ".");
  return out;
}

DossierAnswer make_dossier(const DossierRequest& request, const Work& work) {
  DossierAnswer answer{.report = read_report(request), .model = request.model};
  answer.certificate = read_part(kCertificate, answer.report, request.certificate);
  answer.audit = read_part(kAudit, answer.report, request.audit);
  answer.attack = read_part(kAttackPart, answer.report, request.attack);
  add_ledger(answer, request);
  answer.verified =
      verify({.model = request.model, .report = request.report, .released = request.released}, work);
  // Examples of a report that does not follow from its model could mislead.
  if (answer.verified.follows()) answer.examples = examples_of(answer.report, request, work);
  return answer;
}

Json to_json(const DossierAnswer& answer) {
  Json json = start_answer("sotto.dossier/1");
  json["mechanism"] = field(answer.report, "mechanism");
  json["parameters"] = field(answer.report, "parameters");
  json["model"] = model_json(*answer.model);
  json["status"] = field(answer.report, "status");
  json["strength"] = field(answer.report, "strength");
  json["parts"] = {{"report", true},
                   {"certificate", answer.certificate.has_value()},
                   {"audit", answer.audit.has_value()},
                   {"attack", answer.attack.has_value()},
                   {"ledger", answer.ledger.has_value()}};
  json["holds"] = answer.holds();
  json["objections"] = answer.objections();
  return json;
}

}  // namespace sotto::api
