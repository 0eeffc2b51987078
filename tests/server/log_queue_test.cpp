#include "server/log_queue.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <latch>
#include <string>
#include <thread>
#include <vector>

namespace sotto::server {
namespace {

TEST(LogQueue, KeepsTheOrderAndWritesTheRestAtTheEnd) {
  std::string written;
  {
    LogQueue queue([&](std::string_view text) {
      const std::size_t some =
          std::min<std::size_t>(text.size(), 7);  // a reader that takes a little at a time
      written += text.substr(0, some);
      return some;
    });
    for (int i = 0; i < 1'000; ++i) queue.add("line " + std::to_string(i));
  }
  std::string expected;
  for (int i = 0; i < 1'000; ++i) expected += "line " + std::to_string(i) + "\n";
  EXPECT_EQ(written, expected);
}

TEST(LogQueue, AStuckReaderHoldsUpNobodyAndDropsWholeLines) {
  const std::string line(1'000, 'x');
  std::string written;
  std::atomic<bool> is_stuck = true;
  std::latch first_write(1);
  {
    LogQueue queue([&](std::string_view text) -> std::size_t {
      if (written.empty() && is_stuck) first_write.count_down();
      while (is_stuck) std::this_thread::yield();
      written += text;
      return text.size();
    });
    queue.add(line);
    first_write.wait();
    for (int i = 0; i < 5'000; ++i) queue.add(line);  // 5 MB into a queue of 1 MB
    EXPECT_GT(queue.dropped(), 3'000U);
    EXPECT_LT(queue.dropped(), 4'500U);
    is_stuck = false;
  }
  EXPECT_EQ(written.size() % 1'001, 0U);
  EXPECT_GT(written.size(), 500'000U);
}

// Destroyed with a reader that never reads: the destructor returns.
TEST(LogQueue, EndsThoughNobodyReads) {
  int ends[2] = {};
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  {
    LogQueue queue([&](std::string_view text) { return write_in_time(ends[1], text); });
    for (int i = 0; i < 500; ++i) queue.add(std::string(1'000, 'x'));
  }
  ::close(ends[0]);
  std::string text(10, 'y');
  ::signal(SIGPIPE, SIG_IGN);
  EXPECT_EQ(write_in_time(ends[1], text), 10U);  // nobody will read it: dropped
  ::close(ends[1]);
}

}  // namespace
}  // namespace sotto::server
