#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "sotto/privatizer.h"

namespace sotto {

// A piece of the input on its way through the pipeline. Only one thread at a time touches it.
struct Chunk {
  std::uint64_t index = 0;
  std::uint64_t first_line = 0;
  std::string bytes;
  std::string output;
  TextCounts counts;
  std::exception_ptr fault;
  bool is_done = false;  // guarded by the Workers' mutex
};

// Threads that work on chunks. They start as chunks come and end with this object; chunks not begun by
// then are dropped. A fault is kept in its chunk, and chunks after a faulty one are not worked on.
class Workers {
 public:
  using Work = std::function<void(Chunk&)>;
  // Each thread calls make_work once, for scratch memory of its own. Chunks outlive this object.
  Workers(unsigned limit, std::function<Work()> make_work);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void submit(Chunk& chunk);
  [[nodiscard]] bool is_done(const Chunk& chunk) const;
  // Until the chunk is done; throws its fault.
  void wait(const Chunk& chunk);
  [[nodiscard]] bool has_failed() const;

 private:
  void run(const std::stop_token& stop);

  unsigned limit_;
  std::function<Work()> make_work_;
  mutable std::mutex mutex_;
  std::condition_variable_any is_waiting_;
  std::condition_variable has_finished_;
  std::deque<Chunk*> waiting_;
  std::uint64_t first_failed_ = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::jthread> threads_;  // last: they end before the rest does
};

}  // namespace sotto
