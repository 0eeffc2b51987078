#include "core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <vector>

#include "sotto/error.h"

namespace sotto {
namespace {

TEST(Parallel, CoversEachIndexOnce) {
  for (const std::size_t count : {0UL, 1UL, 7UL, 64UL, 1000UL}) {
    for (const std::size_t block : {0UL, 1UL, 3UL, 64UL, std::numeric_limits<std::size_t>::max()}) {
      for (const unsigned threads : {0U, 1U, 2U, 9U}) {
        std::vector<std::atomic<int>> visits(count);
        parallel_blocks(count, block, threads, [&](std::size_t begin, std::size_t end) {
          ASSERT_LT(begin, end);
          for (std::size_t i = begin; i < end; ++i) ++visits.at(i);
        });
        for (const auto& visit : visits) ASSERT_EQ(visit, 1) << count << ' ' << block << ' ' << threads;
      }
    }
  }
}

TEST(Parallel, BlocksBeginAtMultiples) {
  // Callers seed by block, so the cuts must not depend on the number of threads.
  parallel_blocks(100, 7, 3, [](std::size_t begin, std::size_t end) {
    EXPECT_EQ(begin % 7, 0U);
    EXPECT_EQ(end, std::min<std::size_t>(begin + 7, 100));
  });
}

TEST(Parallel, ThrowsTheErrorAgainAndStopsEarly) {
  std::atomic<int> calls = 0;
  try {
    parallel_blocks(1000000, 1, 2, [&](std::size_t begin, std::size_t) {
      ++calls;
      if (begin == 5) throw Error(ErrorCode::bad_data, "five");
    });
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_data);
    EXPECT_STREQ(error.what(), "five");
  }
  EXPECT_LT(calls, 1000000);
}

TEST(Parallel, ThreadCount) {
  EXPECT_GE(thread_count(0), 1U);
  EXPECT_EQ(thread_count(3), 3U);
}

}  // namespace
}  // namespace sotto
