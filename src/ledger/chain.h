#pragma once
#include <map>
#include <optional>
#include <string_view>

#include "ledger/crypto.h"
#include "sotto/ledger.h"

// What is computed under the ledger's key: the names of accounts, and the chain of entries.
namespace sotto::ledger {

// Stands for a role and an identifier. Without the key nobody can test a guess of the identifier.
Mac owner_mac(const SecretKey& key, AccountRole role, std::string_view id);
// Stands for an account: its owner and its scope.
Mac account_mac(const SecretKey& key, const Mac& owner, const AccountScope& scope);
// Tells the right key from a wrong one.
Mac key_check(const SecretKey& key, std::string_view ledger_id);

// What the first entry is chained to.
Mac first_link(const SecretKey& key, std::string_view ledger_id);
// The mac of an entry covers the mac before it and every field. A row that is changed, removed, inserted or
// moved therefore breaks the chain there.
Mac entry_mac(const SecretKey& key, const StoredEntry& entry);
// Throws Error(bad_data) if the entry's own mac is wrong: before anything is decided from what it says.
void check_entry(const SecretKey& key, const StoredEntry& entry);

LedgerEntry shown_entry(const StoredEntry& entry);

// Checks entries one after the other, in order of their numbers.
class ChainCheck {
 public:
  ChainCheck(const SecretKey& key, std::string_view ledger_id, std::optional<LedgerHead> kept);
  void add(const StoredEntry& entry);
  // After the last one.
  LedgerCheck result();

 private:
  void problem(std::int64_t entry, std::string what);

  SecretKey key_;
  Mac before_;
  std::int64_t last_number_ = 0;
  std::int64_t last_time_ = 0;
  std::optional<LedgerHead> kept_;
  std::map<Mac, std::int64_t> totals_;
  LedgerCheck check_;
};

}  // namespace sotto::ledger
