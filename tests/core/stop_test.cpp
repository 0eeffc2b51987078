#include "core/stop.h"

#include <gtest/gtest.h>

#include <atomic>

#include "core/parallel.h"

namespace sotto {
namespace {

TEST(Stop, OnlyInsideItsScope) {
  const std::atomic<bool> stopped = true;
  throw_if_stopped();
  {
    const StopScope scope(&stopped);
    EXPECT_THROW(throw_if_stopped(), Stopped);
    {
      const StopScope inner(nullptr);
      throw_if_stopped();
    }
    EXPECT_THROW(throw_if_stopped(), Stopped);
  }
  throw_if_stopped();
}

TEST(Stop, ParallelBlocksStopInEveryThread) {
  std::atomic<bool> stopped = false;
  const StopScope scope(&stopped);
  std::atomic<std::size_t> blocks = 0;
  std::atomic<std::size_t> without_flag = 0;
  const auto body = [&](std::size_t /*begin*/, std::size_t /*end*/) {
    if (stop_flag() != &stopped) ++without_flag;
    if (++blocks == 10) stopped = true;
  };
  EXPECT_THROW(parallel_blocks(1'000'000, 1, 3, body), Stopped);
  EXPECT_EQ(without_flag, 0U);
  EXPECT_LT(blocks, 1'000U);
  EXPECT_THROW(parallel_blocks(1, 1, 1, body), Stopped);
}

}  // namespace
}  // namespace sotto
