#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/error.h"

// Where a ledger's rows live. A store keeps bytes and knows nothing of keys, limits or chains: those are
// Ledger's (ledger.cpp). All calls come from one thread at a time.
namespace sotto::ledger {

using Mac = std::array<unsigned char, 32>;

struct StoredEntry {
  std::int64_t number = 0;
  std::int64_t time = 0;
  int role = 0;
  Mac owner = {};    // HMAC of role and id
  Mac account = {};  // HMAC of owner and scope
  std::string model = {};
  std::string metric = {};
  std::string kind = {};
  std::int64_t amount = 0;  // micros
  std::int64_t total = 0;
  std::array<unsigned char, 16> nonce = {};  // no two entries are equal, whoever writes them
  Mac before = {};                           // the mac of the entry before
  Mac mac = {};
};

struct AccountKey {
  Mac owner = {};
  Mac account = {};
  auto operator<=>(const AccountKey&) const = default;
};

struct StoredAnswer {
  Mac key = {};
  Mac body = {};
  std::int64_t expires = 0;
  std::string sealed = {};
};

// What a ledger says of itself. Written once.
struct LedgerIdentity {
  std::int64_t schema = 0;
  std::string id = {};  // 32 random hexadecimal digits
  Mac key_check = {};   // HMAC of the id: tells a wrong key
};
inline constexpr std::int64_t kSchema = 1;

// The connection was lost while a commit was under way: the entries may be there or not.
class CommitInDoubt : public Error {
 public:
  using Error::Error;
};
// The connection was lost before a commit: nothing was written, and the work may be done again.
class ConnectionLost : public Error {
 public:
  using Error::Error;
};

class LedgerStore {
 public:
  virtual ~LedgerStore() = default;

  // Empty: there is no ledger yet. Throws Error(bad_data) for anything that is no ledger.
  virtual std::optional<LedgerIdentity> identity() = 0;

  // A transaction that writes. Nobody else begins one before this ends. Throws Error(input_output) if another
  // process holds the ledger for longer than the patience.
  virtual void begin() = 0;
  virtual std::optional<StoredEntry> last() = 0;
  virtual std::optional<StoredEntry> entry(std::int64_t number) = 0;
  // The latest entry of each account, in their order.
  virtual std::vector<std::optional<StoredEntry>> latest(std::span<const AccountKey> accounts) = 0;
  virtual std::optional<StoredAnswer> answer(const Mac& key) = 0;
  virtual void append(std::span<const StoredEntry> entries) = 0;
  virtual void put_answer(const StoredAnswer& answer) = 0;
  virtual void delete_answers(std::int64_t expired_at) = 0;
  // Durable when it returns. May throw CommitInDoubt.
  virtual void commit() = 0;
  virtual void rollback() noexcept = 0;

  // In order of their numbers, of one moment, outside a transaction; all, or those of one owner.
  virtual void for_each(const std::optional<Mac>& owner,
                        const std::function<void(const StoredEntry&)>& visit) = 0;
  // What the database itself finds wrong with its file; empty: nothing.
  virtual std::string damage() { return {}; }
};

// `create` writes this identity into a new ledger; it appears whole or not at all. Returns false if another
// process was quicker.
struct StorePlace {
  std::string location;
  std::string shown;  // for messages
  std::chrono::milliseconds patience;
};
bool sqlite_exists(const StorePlace& place);
bool create_sqlite(const StorePlace& place, const LedgerIdentity& identity);
std::unique_ptr<LedgerStore> open_sqlite(const StorePlace& place);

bool create_postgres(const StorePlace& place, const LedgerIdentity& identity);
std::unique_ptr<LedgerStore> open_postgres(const StorePlace& place);

}  // namespace sotto::ledger
