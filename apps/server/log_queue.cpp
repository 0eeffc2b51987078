#include "server/log_queue.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

namespace sotto::server {

LogQueue::LogQueue(Write write) : write_(std::move(write)), thread_([this] { run(); }) {}

LogQueue::~LogQueue() {
  const std::scoped_lock lock(mutex_);
  is_over_ = true;
  changed_.notify_all();
}

void LogQueue::add(std::string_view line) {
  const std::scoped_lock lock(mutex_);
  if (waiting_.size() + line.size() >= kMostBytes) {
    ++dropped_;
    return;
  }
  waiting_ += line;
  waiting_ += '\n';
  changed_.notify_one();
}

std::uint64_t LogQueue::dropped() const {
  const std::scoped_lock lock(mutex_);
  return dropped_;
}

void LogQueue::run() {
  std::string writing;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return is_over_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::swap(writing, waiting_);
    std::string_view left = writing;
    // The first line of a text may be the rest of a line, so a text is written to its end before the next.
    while (!left.empty()) {
      const bool was_over = is_over_;
      lock.unlock();
      const std::size_t written = write_(left);
      lock.lock();
      left.remove_prefix(std::min(written, left.size()));
      if (written == 0 && was_over) return;
    }
    writing.clear();
  }
}

std::size_t write_in_time(int descriptor, std::string_view text) {
  constexpr int kMilliseconds = 200;
  pollfd waits{.fd = descriptor, .events = POLLOUT, .revents = 0};
  if (poll(&waits, 1, kMilliseconds) != 1) return 0;
  // A pipe that can be written to takes PIPE_BUF bytes without waiting.
  const ssize_t written = write(descriptor, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
  if (written > 0) return static_cast<std::size_t>(written);
  // The reader has gone: nobody will ever read this.
  return errno == EINTR || errno == EAGAIN ? 0 : text.size();
}

}  // namespace sotto::server
