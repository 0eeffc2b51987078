#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sotto/answer.h"
#include "sotto/ledger.h"

namespace sotto {
class ByteSink;
}

// What a ledger says: who has spent how much, is it untouched, its head, all its entries.
namespace sotto::api {

// {"account": "document", "spent": "2.000000", "limit": null, "remaining": null}. Amounts are texts: a JSON
// number would lose digits.
Json to_json(const Balance& balance);
Json balances_json(const std::vector<Balance>& balances);  // null if there are none

struct LedgerShowRequest {
  std::shared_ptr<Ledger> ledger;
  AccountQuery query = {};
  // What to compare with; limits are not stored in a ledger.
  std::optional<Amount> document_budget = {};
  std::optional<Amount> subject_budget = {};
};
struct LedgerShowAnswer {
  struct Row {
    AccountSummary account;
    Balance balance;
  };
  std::vector<Row> rows;  // in the order of their first debit
};
LedgerShowAnswer show_ledger(const LedgerShowRequest& request);
Json to_json(const LedgerShowAnswer& answer);

struct LedgerVerifyRequest {
  std::shared_ptr<Ledger> ledger;
  std::optional<LedgerHead> head = {};
};
struct LedgerVerifyAnswer {
  LedgerCheck check;
  bool had_head = false;
  [[nodiscard]] bool holds() const { return check.problems.empty(); }
  // One sentence.
  [[nodiscard]] std::string verdict() const;
};
LedgerVerifyAnswer verify_ledger(const LedgerVerifyRequest& request);
Json to_json(const LedgerVerifyAnswer& answer);

struct LedgerHeadAnswer {
  LedgerHead head;
};
LedgerHeadAnswer head_of_ledger(Ledger& ledger);
Json to_json(const LedgerHeadAnswer& answer);

// Every entry as one line of JSON. Does not finish the sink.
void export_ledger(Ledger& ledger, ByteSink& sink);

}  // namespace sotto::api
