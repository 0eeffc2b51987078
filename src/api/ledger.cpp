#include "api/ledger.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/count_text.h"
#include "core/utc_time.h"
#include "sotto/byte_stream.h"

namespace sotto::api {

namespace {

Json amount_or_null(const std::optional<Amount>& amount) {
  return amount ? Json(amount->text()) : Json(nullptr);
}

void add_owner(Json& json, AccountRole role, const std::string& owner, const AccountScope& scope) {
  json["account"] = account_role_name(role);
  json["owner"] = owner;
  json["model"] = scope.model;
  json["metric"] = scope.metric;
  json["kind"] = scope.kind;
}

}  // namespace

Json to_json(const Balance& balance) {
  return {{"account", account_role_name(balance.role)},
          {"spent", balance.spent.text()},
          {"limit", amount_or_null(balance.limit)},
          {"remaining", amount_or_null(balance.remaining())}};
}

Json balances_json(const std::vector<Balance>& balances) {
  if (balances.empty()) return nullptr;
  Json out = Json::array();
  for (const Balance& balance : balances) out.push_back(to_json(balance));
  return out;
}

LedgerShowAnswer show_ledger(const LedgerShowRequest& request) {
  LedgerShowAnswer out;
  for (AccountSummary& account : request.ledger->accounts(request.query)) {
    const bool is_document = account.role == AccountRole::document;
    const Balance balance{.role = account.role,
                          .spent = account.spent,
                          .limit = is_document ? request.document_budget : request.subject_budget};
    out.rows.push_back({.account = std::move(account), .balance = balance});
  }
  return out;
}

Json to_json(const LedgerShowAnswer& answer) {
  Json json = start_answer("sotto.ledger.show/1");
  json["accounts"] = Json::array();
  for (const LedgerShowAnswer::Row& row : answer.rows) {
    Json line;
    add_owner(line, row.account.role, row.account.owner, row.account.scope);
    line["spent"] = row.balance.spent.text();
    line["limit"] = amount_or_null(row.balance.limit);
    line["remaining"] = amount_or_null(row.balance.remaining());
    line["debits"] = row.account.debits;
    line["last_debit"] = utc_time(row.account.last_time);
    json["accounts"].push_back(std::move(line));
  }
  return json;
}

std::string LedgerVerifyAnswer::verdict() const {
  if (!holds())
    return fmt::format("the ledger was changed: {} found", counted(check.problems.size(), "problem"));
  return fmt::format("the ledger is untouched: {}, head {}{}",
                     check.entries == 1 ? "1 entry" : fmt::format("{} entries", check.entries),
                     check.head.text(),
                     had_head ? "" : " (without `head` of an earlier day, a cut tail cannot be seen)");
}

LedgerVerifyAnswer verify_ledger(const LedgerVerifyRequest& request) {
  return {.check = request.ledger->verify(request.head), .had_head = request.head.has_value()};
}

Json to_json(const LedgerVerifyAnswer& answer) {
  Json json = start_answer("sotto.ledger.verify/1");
  json["holds"] = answer.holds();
  json["entries"] = answer.check.entries;
  json["head"] = answer.check.head.text();
  json["problems"] = Json::array();
  for (const LedgerProblem& problem : answer.check.problems) {
    json["problems"].push_back(
        {{"entry", problem.entry == 0 ? Json(nullptr) : Json(problem.entry)}, {"problem", problem.what}});
  }
  return json;
}

LedgerHeadAnswer head_of_ledger(Ledger& ledger) {
  return {.head = ledger.head()};
}

Json to_json(const LedgerHeadAnswer& answer) {
  Json json = start_answer("sotto.ledger.head/1");
  json["head"] = answer.head.text();
  return json;
}

void export_ledger(Ledger& ledger, ByteSink& sink) {
  ledger.for_each_entry([&](const LedgerEntry& entry) {
    Json line;
    line["number"] = entry.number;
    line["time"] = utc_time(entry.time);
    add_owner(line, entry.role, entry.owner, entry.scope);
    line["amount"] = entry.amount.text();
    line["total"] = entry.total.text();
    line["mac"] = entry.mac;
    sink.write(line.dump() + "\n");
  });
}

}  // namespace sotto::api
