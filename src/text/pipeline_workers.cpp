#include "text/pipeline_workers.h"

#include <algorithm>
#include <utility>

namespace sotto {

Workers::Workers(unsigned limit, std::function<Work()> make_work)
    : limit_(limit), make_work_(std::move(make_work)) {}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    waiting_.clear();
  }
  for (std::jthread& thread : threads_) thread.request_stop();
}

void Workers::submit(Chunk& chunk) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(&chunk);
  }
  is_waiting_.notify_one();
  if (threads_.size() < limit_) {
    threads_.emplace_back([this](const std::stop_token& stop) { run(stop); });
  }
}

bool Workers::is_done(const Chunk& chunk) const {
  const std::lock_guard lock(mutex_);
  return chunk.is_done;
}

void Workers::wait(const Chunk& chunk) {
  std::unique_lock lock(mutex_);
  has_finished_.wait(lock, [&] { return chunk.is_done; });
  if (chunk.fault) std::rethrow_exception(chunk.fault);
}

bool Workers::has_failed() const {
  const std::lock_guard lock(mutex_);
  return first_failed_ != std::numeric_limits<std::uint64_t>::max();
}

void Workers::run(const std::stop_token& stop) {
  Work work;
  std::unique_lock lock(mutex_);
  while (is_waiting_.wait(lock, stop, [&] { return !waiting_.empty(); })) {
    Chunk& chunk = *waiting_.front();
    waiting_.pop_front();
    if (chunk.index < first_failed_) {
      lock.unlock();
      try {
        if (!work) work = make_work_();
        work(chunk);
      } catch (...) {
        chunk.fault = std::current_exception();
      }
      lock.lock();
    }
    if (chunk.fault) first_failed_ = std::min(first_failed_, chunk.index);
    chunk.is_done = true;
    has_finished_.notify_one();
  }
}

}  // namespace sotto
