#pragma once
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <vector>

#include "ledger/crypto.h"
#include "ledger/store.h"
#include "sotto/ledger.h"

namespace sotto::ledger {

// A debit with everything that can be computed before the ledger is locked, and its outcome.
struct PreparedDebit {
  const Debit* debit = nullptr;
  std::vector<AccountKey> accounts = {};  // of the charges
  Mac retry_key = {};                     // of the stored answer; only with debit->retry
  Mac retry_body = {};

  Receipt receipt = {};
  std::exception_ptr fault = {};  // set: the debit was refused or failed
};

PreparedDebit prepare(const SecretKey& key, const Debit& debit);
AccountKey account_key(const SecretKey& key, const Account& account);

struct BatchSetting {
  const SecretKey* key = nullptr;
  std::string ledger_id;
  std::int64_t now = 0;
  std::int64_t keep_answers = 0;  // seconds
  bool deletes_expired = true;    // false: only if a debit of the batch has a retry key
};

// Inside a transaction of the store: decides about every debit in order, and writes the entries and answers
// of those that pass. A refusal is kept in its debit and leaves the others alone; a fault of the store is
// thrown. Returns the last entry written; empty: nothing was written.
std::optional<StoredEntry> debit_batch(LedgerStore& store, const BatchSetting& setting,
                                       std::span<PreparedDebit* const> debits);

// Refuses a charge on an account with this latest entry, or returns the new total. Throws LimitReached, or
// Error(usage) above the largest amount.
Amount charged(const Charge& charge, const std::optional<Amount>& spent);

// The answer in clear. Throws Error(usage) if it was given to another body, Error(bad_data) if it was
// changed.
std::string open_answer(const SecretKey& key, const RetryKey& retry, const Mac& body,
                        const StoredAnswer& stored);

}  // namespace sotto::ledger
