#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>

#include "ledger/batch.h"
#include "ledger/fork_guard.h"
#include "ledger/group_commit.h"

namespace sotto::ledger {

// Debits on a store that may lose its connection. Waiting debits are committed together. After a lost
// connection the batch is tried again until the patience ends; after one that was lost during a commit, the
// last entry of the batch tells whether the commit had happened, so nothing is debited twice.
class Engine final : public ForkGuarded {
 public:
  struct Setting {
    SecretKey key;
    std::string ledger_id;
    // An open store of this ledger, checked. Called again after a lost connection and after fork().
    std::function<std::unique_ptr<LedgerStore>()> open;
    std::function<std::int64_t()> now;
    std::chrono::seconds keep_answers;
    std::chrono::milliseconds patience;
  };
  // `store` may be null: opened by need.
  Engine(Setting setting, std::unique_ptr<LedgerStore> store);
  ~Engine() override;

  // Its outcome is in `prepared`.
  void debit(PreparedDebit& prepared) { queue_.run(prepared); }

  // work(store), again after a lost connection, until the patience ends.
  template <typename Work>
  auto with_store(const Work& work) {
    const std::scoped_lock lock(store_mutex_);
    Patience patience(setting_.patience);
    for (;;) {
      try {
        return work(opened());
      } catch (const ConnectionLost&) {
        store_.reset();
        if (!patience.waits()) throw;
      }
    }
  }

  [[nodiscard]] const Setting& setting() const noexcept { return setting_; }

  void before_fork() override;
  void after_fork_in_parent() override;
  void after_fork_in_child() override;

 private:
  // Pauses between attempts, from 1 ms up to 50 ms.
  class Patience {
   public:
    explicit Patience(std::chrono::milliseconds all) : deadline_(std::chrono::steady_clock::now() + all) {}
    // False: it has ended.
    bool waits();

   private:
    std::chrono::steady_clock::time_point deadline_;
    std::chrono::milliseconds pause_{1};
  };

  LedgerStore& opened();
  void commit(std::span<PreparedDebit* const> batch);
  void commit_once(std::span<PreparedDebit* const> batch, std::optional<StoredEntry>& in_doubt);

  Setting setting_;
  std::mutex store_mutex_;
  std::unique_ptr<LedgerStore> store_;
  // Expired answers are deleted with the first debit after so many seconds: a statement less for the others.
  static constexpr std::int64_t kCleaningSeconds = 10;
  std::int64_t cleaned_at_ = 0;
  GroupCommit<PreparedDebit> queue_;
};

}  // namespace sotto::ledger
