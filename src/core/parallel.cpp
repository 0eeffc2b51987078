#include "core/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "core/stop.h"

namespace sotto {

unsigned thread_count(unsigned requested) {
  if (requested > 0) return requested;
  return std::max(1U, std::thread::hardware_concurrency());
}

void parallel_blocks(std::size_t count, std::size_t block, unsigned threads,
                     const std::function<void(std::size_t, std::size_t)>& body) {
  if (count == 0) return;
  block = std::clamp<std::size_t>(block, 1, count);
  const std::size_t blocks = count / block + (count % block != 0 ? 1 : 0);

  std::atomic<std::size_t> next = 0;
  std::atomic<bool> stopped = false;
  std::mutex first_error_lock;
  std::exception_ptr first_error;
  const std::atomic<bool>* stop = stop_flag();
  const auto work = [&] {
    const StopScope scope(stop);
    while (!stopped.load(std::memory_order_relaxed)) {
      const std::size_t index = next.fetch_add(1, std::memory_order_relaxed);
      if (index >= blocks) return;
      const std::size_t begin = index * block;
      try {
        throw_if_stopped();
        body(begin, begin + std::min(block, count - begin));
      } catch (...) {
        const std::scoped_lock lock(first_error_lock);
        if (!first_error) first_error = std::current_exception();
        stopped = true;
      }
    }
  };

  {
    std::vector<std::jthread> helpers;
    const std::size_t wanted = std::min<std::size_t>(thread_count(threads), blocks) - 1;
    helpers.reserve(wanted);
    try {
      while (helpers.size() < wanted) helpers.emplace_back(work);
    } catch (const std::system_error&) {
      // No more threads to be had: the ones that run, and this one, do the work.
    }
    work();
  }
  if (first_error) std::rethrow_exception(first_error);
}

}  // namespace sotto
