// sotto ledger show: how much epsilon the accounts of a ledger have spent.
#include <fmt/format.h>

#include "api/ledger.h"
#include "cli/commands.h"
#include "cli/ledger/flags.h"
#include "core/utc_time.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "sotto/error.h"

namespace sotto::cli {

namespace {

constexpr char kLedgerShowHelp[] =
    R"(Show how much epsilon the accounts of a ledger have spent.

Usage: sotto ledger show FILE|URL [--subject ID | --document ID] [options]

  sotto ledger show ledger.db
  sotto ledger show ledger.db --subject patient-17 --subject-budget 500
  sotto ledger show ledger.db --document letter-1 --json)";

constexpr char kLedgerShowNotes[] =
    R"(A ledger stores no identifiers, only their HMACs: without --subject or --document each account is shown
under the first digits of its HMAC. Limits are not stored either; give the budgets to see what remains.

Read next: docs/ledger.md)";

std::string accounts_text(const api::LedgerShowAnswer& answer) {
  if (answer.rows.empty()) return "no debits\n";
  std::string out;
  for (const api::LedgerShowAnswer::Row& row : answer.rows) {
    const std::optional<Amount> remaining = row.balance.remaining();
    out += fmt::format(
        "{:<11} spent {}{}  ({}, last {}; {}, {}, model {}; HMAC {})\n", account_role_name(row.account.role),
        row.balance.spent.text(),
        remaining ? fmt::format(" of {}, remaining {}", row.balance.limit->text(), remaining->text()) : "",
        counted(static_cast<std::uint64_t>(row.account.debits), "debit"), utc_time(row.account.last_time),
        row.account.scope.kind, row.account.scope.metric, row.account.scope.model.substr(0, 12),
        row.account.owner.substr(0, 12));
  }
  return out;
}

}  // namespace

int run_ledger_show(Words words) {
  LedgerFlags flags;
  bool json = false;
  CommandLine line("ledger show", kLedgerShowHelp);
  line.text("ledger", flags.ledger, "FILE", "");
  line.text("--ledger-key", flags.key, "FILE", kLedgerKeyHelp);
  line.text("--subject", flags.subject, "ID", "only the accounts of this subject");
  line.text("--document", flags.document, "ID", "only the accounts of this document");
  line.text("--document-budget", flags.document_budget, "EPSILON", "show what remains of this limit");
  line.text("--subject-budget", flags.subject_budget, "EPSILON", "show what remains of this limit");
  line.flag("--json", json, kJsonHelp);
  line.footer(kLedgerShowNotes);
  if (line.parse(words) == CommandLine::Outcome::helped) return kDone;
  if (!flags.subject.empty() && !flags.document.empty()) {
    throw Error(ErrorCode::usage, "give --subject or --document, not both: each has an account of its own");
  }
  api::LedgerShowRequest request{.ledger = open_existing_ledger(flags.ledger, flags.key),
                                 .document_budget = budget("--document-budget", flags.document_budget),
                                 .subject_budget = budget("--subject-budget", flags.subject_budget)};
  if (!flags.subject.empty()) request.query = {.role = AccountRole::subject, .id = flags.subject};
  if (!flags.document.empty()) request.query = {.role = AccountRole::document, .id = flags.document};
  const api::LedgerShowAnswer answer = api::show_ledger(request);
  if (json) {
    print_answer(api::to_json(answer));
  } else {
    print(accounts_text(answer));
  }
  return kDone;
}

}  // namespace sotto::cli
