#pragma once
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace sotto::server {

// Writes lines of the log by a thread of its own, many at a time. A log whose reader is slow, stuck or gone
// holds up no answer: lines that do not fit into the queue are dropped and counted.
class LogQueue {
 public:
  // Writes the text, or as much of it as can be written without waiting for more than some tenths of a
  // second; returns how many bytes were written, 0 if nobody reads. Called by one thread at a time.
  using Write = std::function<std::size_t(std::string_view text)>;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 20;

  explicit LogQueue(Write write);
  // Writes what is left, as far as the reader takes it at once.
  ~LogQueue();
  LogQueue(const LogQueue&) = delete;
  LogQueue& operator=(const LogQueue&) = delete;

  // Any thread. Never waits for the reader.
  void add(std::string_view line);
  // Lines that did not fit.
  [[nodiscard]] std::uint64_t dropped() const;

 private:
  void run();

  const Write write_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string waiting_;  // whole lines
  std::uint64_t dropped_ = 0;
  bool is_over_ = false;
  std::jthread thread_;  // last: it uses the others
};

// Writes to a descriptor, waiting at most 0.2 s for its reader. The descriptor stays in blocking mode,
// because other programs may share it.
std::size_t write_in_time(int descriptor, std::string_view text);

}  // namespace sotto::server
