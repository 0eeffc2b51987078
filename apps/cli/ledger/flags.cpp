#include "cli/ledger/flags.h"

#include <fmt/format.h>

#include "shared/console.h"
#include "sotto/error.h"

namespace sotto::cli {

LedgerOptions ledger_options(const std::string& location, const std::string& key) {
  if (has_password(location)) {
    throw Error(
        ErrorCode::usage,
        "--ledger holds a password, which others can see on a command line; put it into the file that "
        "PGPASSFILE names");
  }
  return {.location = location, .key_file = key};
}

void declare_ledger(CommandLine& command, LedgerFlags& flags) {
  command.text("--ledger", flags.ledger, "FILE|URL",
               "count what is spent, in a file (made if missing) or in postgresql://host/database");
  command.text("--ledger-key", flags.key, "FILE", kLedgerKeyHelp);
  command.text("--subject", flags.subject, "ID",
               "whom the words are about: each word adds epsilon to this account");
  command.text("--document", flags.document, "ID",
               "what the input is: each release of it adds epsilon to this account");
  command.text("--document-budget", flags.document_budget, "EPSILON",
               "how much a document may spend (default: one release)");
  command.text("--subject-budget", flags.subject_budget, "EPSILON",
               "how much a subject may spend (default: no limit)");
}

std::optional<Amount> budget(const char* flag, const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(Amount::parse(flag, text, Amount::Rounding::down));
}

std::optional<LedgerUse> open_ledger_use(const LedgerFlags& flags) {
  if (flags.ledger.empty()) {
    for (const auto& [name, text] : {std::pair("--ledger-key", &flags.key),
                                     {"--subject", &flags.subject},
                                     {"--document", &flags.document},
                                     {"--document-budget", &flags.document_budget},
                                     {"--subject-budget", &flags.subject_budget}}) {
      if (!text->empty()) throw Error(ErrorCode::usage, fmt::format("{} needs --ledger FILE", name));
    }
    return std::nullopt;
  }
  LedgerUse use{.subject = flags.subject,
                .document = flags.document,
                .document_budget = budget("--document-budget", flags.document_budget),
                .subject_budget = budget("--subject-budget", flags.subject_budget)};
  use.ledger = std::make_shared<Ledger>(ledger_options(flags.ledger, flags.key));
  if (use.ledger->was_created()) {
    say(fmt::format("made the ledger {}; keep a copy of its key, without which it cannot be used",
                    use.ledger->name()));
  }
  return use;
}

std::shared_ptr<Ledger> open_existing_ledger(const std::string& location, const std::string& key) {
  if (location.empty()) throw Error(ErrorCode::usage, "give the ledger: a file or a postgresql:// address");
  LedgerOptions options = ledger_options(location, key);
  options.missing = LedgerOptions::Missing::refuse;
  return std::make_shared<Ledger>(std::move(options));
}

void say_spent(const std::vector<Balance>& balances) {
  for (const Balance& balance : balances) {
    const std::optional<Amount> remaining = balance.remaining();
    say(fmt::format(
        "ledger: {} has spent {}{}", account_role_name(balance.role), balance.spent.text(),
        remaining ? fmt::format(" of {}, remaining {}", balance.limit->text(), remaining->text()) : ""));
  }
}

void saying_what_is_spent(const std::function<bool()>& has_spent, const std::function<void()>& work) {
  try {
    work();
  } catch (const LimitReached&) {
    throw;
  } catch (const Error& error) {
    if (!has_spent()) throw;
    throw Error(error.code(), fmt::format("{}; the ledger has debited this run already, and the debit stays",
                                          error.what()));
  }
}

}  // namespace sotto::cli
