#pragma once
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "server/problem.h"

namespace sotto::server {

// Things that take long to build, by their key: those that were used last are kept. One is built at a time,
// and other requests for new ones wait only for a short time: somebody who asks for a new one each time
// cannot occupy all workers. What is built already is never held up.
template <class Value>
class BuildCache {
 public:
  struct Limits {
    std::size_t most = 64;  // things kept
    std::chrono::milliseconds patience = std::chrono::seconds(2);
  };
  using Build = std::function<std::shared_ptr<Value>()>;
  explicit BuildCache(Limits limits) : limits_(limits) {}

  // What `build` throws is thrown here, and nothing is kept. Throws Problem(503) if another thing is being
  // built for longer than `patience`.
  std::shared_ptr<Value> find(const std::string& key, const Build& build) {
    std::unique_lock lock(mutex_);
    if (auto ready = known(key)) return ready;
    if (!was_built_.wait_for(lock, limits_.patience, [&] { return !is_building_; })) {
      throw Problem{.kind = &kUnavailable, .detail = "another setting is being prepared; try again"};
    }
    if (auto ready = known(key)) return ready;  // built while this request waited
    is_building_ = true;
    lock.unlock();
    std::shared_ptr<Value> ready;
    std::exception_ptr fault;
    try {
      ready = build();
    } catch (...) {
      fault = std::current_exception();
    }
    lock.lock();
    is_building_ = false;
    was_built_.notify_all();
    if (fault) std::rethrow_exception(fault);
    recent_.emplace_front(key, ready);
    by_key_[key] = recent_.begin();
    if (recent_.size() > limits_.most) {
      by_key_.erase(recent_.back().first);
      recent_.pop_back();
    }
    return ready;
  }

 private:
  using Entry = std::pair<std::string, std::shared_ptr<Value>>;
  std::shared_ptr<Value> known(const std::string& key) {  // mutex_ is held
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return nullptr;
    recent_.splice(recent_.begin(), recent_, found->second);
    return found->second->second;
  }

  const Limits limits_;
  std::mutex mutex_;                   // of what is below
  std::condition_variable was_built_;  // is_building_ became false
  bool is_building_ = false;           // one request builds, without the mutex
  std::list<Entry> recent_;            // the last used first
  std::unordered_map<std::string, typename std::list<Entry>::iterator> by_key_;
};

}  // namespace sotto::server
