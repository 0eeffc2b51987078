#pragma once
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

namespace sotto::ledger {

// Collects work of many threads into batches: while one batch is being committed, those who come wait, and
// the first of them then leads the next batch for all. So one sync of the disk serves many debits.
template <typename Item>
class GroupCommit {
 public:
  static constexpr std::size_t kLargestBatch = 256;

  // `commit` gets items in the order in which they came, from one thread at a time, and must not throw.
  explicit GroupCommit(std::function<void(std::span<Item* const>)> commit) : commit_(std::move(commit)) {}

  // Returns when the item's batch has been committed.
  void run(Item& item) {
    Waiting own{.item = &item};
    std::unique_lock lock(mutex_);
    waiting_.push_back(&own);
    own.woken.wait(lock, [&] { return own.is_done || !has_leader_; });
    if (own.is_done) return;
    has_leader_ = true;
    while (!own.is_done) {
      std::vector<Waiting*> batch;
      std::vector<Item*> items;
      while (!waiting_.empty() && batch.size() < kLargestBatch) {
        batch.push_back(waiting_.front());
        items.push_back(waiting_.front()->item);
        waiting_.pop_front();
      }
      lock.unlock();
      commit_(items);
      lock.lock();
      for (Waiting* done : batch) {
        done->is_done = true;
        done->woken.notify_one();
      }
    }
    has_leader_ = false;
    if (!waiting_.empty()) waiting_.front()->woken.notify_one();
  }

  // Around fork(): nobody joins or leaves a batch meanwhile. In the child the waiting threads do not exist.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }
  void forget_others() {
    waiting_.clear();
    has_leader_ = false;
  }

 private:
  struct Waiting {
    Item* item = nullptr;
    std::condition_variable woken = {};
    bool is_done = false;
  };

  std::function<void(std::span<Item* const>)> commit_;
  std::mutex mutex_;
  std::deque<Waiting*> waiting_;
  bool has_leader_ = false;
};

}  // namespace sotto::ledger
