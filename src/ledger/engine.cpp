#include "ledger/engine.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace sotto::ledger {

Engine::Engine(Setting setting, std::unique_ptr<LedgerStore> store)
    : setting_(std::move(setting)),
      store_(std::move(store)),
      queue_([this](std::span<PreparedDebit* const> batch) { commit(batch); }) {
  join();
}

Engine::~Engine() {
  leave();
}

// First the queue, then the store: whoever commits holds the store's lock only, and lets it go before it
// takes the queue's.
void Engine::before_fork() {
  queue_.lock();
  store_mutex_.lock();
  store_.reset();
}

void Engine::after_fork_in_parent() {
  store_mutex_.unlock();
  queue_.unlock();
}

void Engine::after_fork_in_child() {
  queue_.forget_others();
  after_fork_in_parent();
}

LedgerStore& Engine::opened() {
  if (!store_) store_ = setting_.open();
  return *store_;
}

bool Engine::Patience::waits() {
  if (std::chrono::steady_clock::now() + pause_ > deadline_) return false;
  std::this_thread::sleep_for(pause_);
  pause_ = std::min(2 * pause_, std::chrono::milliseconds(50));
  return true;
}

void Engine::commit_once(std::span<PreparedDebit* const> batch, std::optional<StoredEntry>& in_doubt) {
  LedgerStore& store = opened();
  store.begin();
  std::optional<StoredEntry> written;
  try {
    if (in_doubt) {
      // The lock is ours, so the transaction that was in doubt has ended: its last entry is there or not.
      const std::optional<StoredEntry> found = store.entry(in_doubt->number);
      if (found && found->mac == in_doubt->mac) {
        store.rollback();
        return;
      }
      in_doubt.reset();
    }
    const std::int64_t now = setting_.now();
    written = debit_batch(store,
                          {.key = &setting_.key,
                           .ledger_id = setting_.ledger_id,
                           .now = now,
                           .keep_answers = setting_.keep_answers.count(),
                           .deletes_expired = now - cleaned_at_ >= kCleaningSeconds},
                          batch);
    if (now - cleaned_at_ >= kCleaningSeconds) cleaned_at_ = now;
    if (!written) {
      store.rollback();
      return;
    }
    store.commit();
  } catch (const CommitInDoubt&) {
    in_doubt = std::move(written);
    throw;
  } catch (...) {
    store.rollback();
    throw;
  }
}

void Engine::commit(std::span<PreparedDebit* const> batch) {
  const std::scoped_lock lock(store_mutex_);
  Patience patience(setting_.patience);
  std::optional<StoredEntry> in_doubt;
  std::exception_ptr fault;
  do {
    try {
      commit_once(batch, in_doubt);
      return;
    } catch (const ConnectionLost&) {
      store_.reset();
      // A commit in doubt stays so: the caller must hear that, not only that the connection is gone.
      if (!in_doubt) fault = std::current_exception();
    } catch (const CommitInDoubt&) {
      store_.reset();
      fault = std::current_exception();
    } catch (...) {
      fault = std::current_exception();
      break;
    }
  } while (patience.waits());
  // Also for debits that were refused: a refusal that was never confirmed by the ledger is none.
  for (PreparedDebit* prepared : batch) prepared->fault = fault;
}

}  // namespace sotto::ledger
