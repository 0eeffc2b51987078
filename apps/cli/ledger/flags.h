#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shared/command_line.h"
#include "sotto/ledger.h"

namespace sotto::cli {

// The options by which `privatize` and `vectors` count a release.
struct LedgerFlags {
  std::string ledger;
  std::string key;
  std::string subject;
  std::string document;
  std::string document_budget;
  std::string subject_budget;
};

void declare_ledger(CommandLine& command, LedgerFlags& flags);
// Opens or makes the ledger; empty without --ledger. Throws Error(usage) for the others without it.
std::optional<LedgerUse> open_ledger_use(const LedgerFlags& flags);

// Throws Error(usage) for an address with a password, which others can see on a command line.
LedgerOptions ledger_options(const std::string& location, const std::string& key);
// The ledger that `sotto ledger ...` asks; it must be there.
std::shared_ptr<Ledger> open_existing_ledger(const std::string& location, const std::string& key);
std::optional<Amount> budget(const char* flag, const std::string& text);

// What accounts have spent, on standard error.
void say_spent(const std::vector<Balance>& balances);
// Runs `work`. If it fails after something was debited, the message says that it stays spent.
void saying_what_is_spent(const std::function<bool()>& has_spent, const std::function<void()>& work);

inline constexpr char kLedgerKeyHelp[] =
    "the file of the ledger's key (default: FILE.key; PostgreSQL needs one)";

}  // namespace sotto::cli
