#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/amount.h"
#include "sotto/error.h"

// The ledger: how much epsilon has been spent, for whom. It never counts too little: a release is debited
// before it appears, in one transaction that checks the limits, debits every account and stores the answer
// for retries. If anything fails, nothing may be released; if a process dies after the debit, the amount
// stays spent. docs/ledger.md explains the accounts with an example.
namespace sotto {

// What an account counts.
enum class AccountRole {
  document,   // releases of one document: its epsilon each time
  subject,    // words released about one person or tenant: epsilon for each word
  key,        // the same for an API key, if a request names neither document nor subject
  anonymous,  // the same, if there is no API key either
};
std::string_view account_role_name(AccountRole role);

// Epsilons add up only for one model, one metric with its parameters, and one kind of release.
struct AccountScope {
  std::string model = {};   // Model::identity(), or "none" for vectors of no model
  std::string metric = {};  // "euclidean"
  std::string kind = {};    // "words" or "vectors"
  bool operator==(const AccountScope&) const = default;
};

// The id is private: the ledger stores only its HMAC.
struct Account {
  AccountRole role = AccountRole::anonymous;
  std::string id = {};  // empty for anonymous
  AccountScope scope = {};
};

struct Charge {
  Account account = {};
  Amount amount = {};
  // Empty: no limit, but `once` may still refuse.
  std::optional<Amount> limit = {};
  bool once = false;  // refused if the account has been debited before (a document without a budget)
};

// A request that its sender may repeat: the same key and body get the stored answer, without another debit.
struct RetryKey {
  std::string sender = {};  // the API key; empty: none
  std::string key = {};     // the Idempotency-Key
  std::string body = {};
};

struct Debit {
  std::vector<Charge> charges = {};  // all succeed or none does
  std::optional<RetryKey> retry = {};
  std::string answer = {};  // stored, encrypted, for `retry`
};

// What an account holds. `limit` and `remaining` are empty without a limit.
struct Balance {
  AccountRole role = AccountRole::anonymous;
  Amount spent = {};
  std::optional<Amount> limit = {};
  [[nodiscard]] std::optional<Amount> remaining() const;
};

struct Receipt {
  std::vector<Balance> balances = {};  // of the charges, in their order; empty if replayed
  bool is_replayed = false;            // an earlier debit had this retry key: nothing was debited
  std::string answer = {};             // the stored one, if replayed
};

// A limit refused the debit: nothing was debited. (A ledger that is unreachable, locked, full or damaged
// throws a plain Error(input_output) or Error(bad_data).)
class LimitReached : public Error {
 public:
  explicit LimitReached(const std::string& message) : Error(ErrorCode::usage, message) {}
};

struct LedgerOptions {
  std::string location = {};            // a SQLite file, or postgresql://...
  std::filesystem::path key_file = {};  // empty: the file's name with ".key" added; PostgreSQL needs one
  // How long stored answers are kept.
  std::chrono::seconds keep_answers = std::chrono::hours(24);
  // How long to wait for another process, or for a database that is away.
  std::chrono::milliseconds patience = std::chrono::seconds(5);
  enum class Missing { create, refuse } missing = Missing::create;
  std::function<std::int64_t()> clock = {};  // seconds since 1970, for tests; empty: the system's
};

// A PostgreSQL address that holds a password. Programs refuse it on their command line, which others can see;
// PGPASSFILE is the place for passwords.
bool has_password(const std::string& location);

// One row of the ledger as others may see it. `owner` is the HMAC of role and id, in hexadecimal.
struct LedgerEntry {
  std::int64_t number = 0;  // 1, 2, 3, ...
  std::int64_t time = 0;    // seconds since 1970
  AccountRole role = AccountRole::anonymous;
  std::string owner = {};
  AccountScope scope = {};
  Amount amount = {};
  Amount total = {};     // of the account, this entry included
  std::string mac = {};  // of this entry and all before it
};

struct AccountSummary {
  AccountRole role = AccountRole::anonymous;
  std::string owner = {};
  AccountScope scope = {};
  Amount spent = {};
  std::int64_t debits = 0;
  std::int64_t last_time = 0;
};

// COUNT:HEX, the number of entries and the last one's mac. Kept elsewhere, it shows later that no entry was
// cut off.
struct LedgerHead {
  std::int64_t count = 0;
  std::string mac = {};
  [[nodiscard]] std::string text() const;
  // Throws Error(usage).
  static LedgerHead parse(std::string_view text);
};

struct LedgerProblem {
  std::int64_t entry = 0;  // its number; 0: the ledger as a whole
  std::string what = {};
};
struct LedgerCheck {
  std::int64_t entries = 0;
  LedgerHead head = {};
  std::vector<LedgerProblem> problems = {};  // the first kMostProblems
  static constexpr std::size_t kMostProblems = 20;
};

// Which accounts to list. Empty fields match all.
struct AccountQuery {
  std::optional<AccountRole> role = {};
  std::optional<std::string> id = {};  // needs a role
};

// An open ledger. Several threads may use it at a time; debits that wait are committed together. Several
// processes may open one ledger. After fork() parent and child both go on with connections of their own.
class Ledger {
 public:
  // Makes the key, then the ledger, if neither is there. Throws Error(usage | bad_data | input_output): wrong
  // key, missing key, a file of another kind or version, damage, no access, no connection.
  explicit Ledger(LedgerOptions options);
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  // Durable when it returns. Throws LimitReached, or Error: then nothing may be released. After an error of
  // the connection the debit may have been counted all the same.
  Receipt debit(const Debit& debit);
  // The same checks of limits, without a debit: tells early what debit() would refuse.
  std::vector<Balance> check(const std::vector<Charge>& charges);
  // The stored answer; empty if there is none. Throws Error(usage) if it belongs to another body.
  std::optional<std::string> stored_answer(const RetryKey& retry);

  std::vector<AccountSummary> accounts(const AccountQuery& query = {});
  LedgerHead head();
  // Reads every entry. `kept`: a head that was noted earlier.
  LedgerCheck verify(const std::optional<LedgerHead>& kept = {});
  void for_each_entry(const std::function<void(const LedgerEntry&)>& visit);

  [[nodiscard]] const LedgerOptions& options() const noexcept;
  [[nodiscard]] bool was_created() const noexcept;  // by this constructor
  // For messages: the file, or the address without its password.
  [[nodiscard]] const std::string& name() const noexcept;

 private:
  class Core;
  std::unique_ptr<Core> core_;
};

// Where a release is counted. Without subject and document it counts under one anonymous account.
struct LedgerUse {
  std::shared_ptr<Ledger> ledger = {};
  std::string subject = {};
  std::string document = {};                   // the whole input is this document
  std::optional<Amount> document_budget = {};  // empty: a document may be released once
  std::optional<Amount> subject_budget = {};   // empty: unlimited, but counted
};

}  // namespace sotto
