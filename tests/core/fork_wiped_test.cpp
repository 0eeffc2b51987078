#include "core/fork_wiped.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>
#include <thread>
#include <vector>

namespace sotto {
namespace {

constexpr std::size_t kBytes = 16'384;

std::span<unsigned char> bytes_of(const ForkWiped& pages) {
  return {static_cast<unsigned char*>(pages.memory), kBytes};
}

bool is_zero(const ForkWiped& pages) {
  return std::ranges::all_of(bytes_of(pages), [](unsigned char byte) { return byte == 0; });
}

TEST(ForkWiped, PagesThatAreUsedAgainAreZero) {
  const ForkWiped first = map_fork_wiped(kBytes, WipeOnFork::if_possible);
  ASSERT_TRUE(is_zero(first));
  std::memset(first.memory, 0xa5, kBytes);
  void* const place = first.memory;
  unmap_fork_wiped(first, kBytes);
  const ForkWiped second = map_fork_wiped(kBytes, WipeOnFork::if_possible);
  EXPECT_TRUE(is_zero(second));
  if (first.wiped == WipedByKernel::yes) {
    EXPECT_EQ(second.memory, place);
  }
  unmap_fork_wiped(second, kBytes);
}

// Pages that the kernel does not wipe must not come back as pages that it wipes: a child would find a key.
TEST(ForkWiped, PagesThatAreNotWipedAreNotKept) {
  const ForkWiped plain = map_fork_wiped(kBytes, WipeOnFork::never);
  ASSERT_EQ(plain.wiped, WipedByKernel::no);
  unmap_fork_wiped(plain, kBytes);
  const ForkWiped wiped = map_fork_wiped(kBytes, WipeOnFork::if_possible);
  if (wiped.wiped == WipedByKernel::no) GTEST_SKIP() << "this kernel wipes no pages";
  std::memset(wiped.memory, 0xa5, kBytes);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(is_zero(wiped) ? 0 : 1);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  unmap_fork_wiped(wiped, kBytes);
}

// A page that two threads hold at once would be one key for two streams.
TEST(ForkWiped, NoPageHasTwoOwners) {
  std::atomic<int> faults = 0;
  std::vector<std::jthread> threads;
  for (int id = 1; id <= 8; ++id) {
    threads.emplace_back([id, &faults] {
      for (int round = 0; round < 2'000; ++round) {
        const ForkWiped pages = map_fork_wiped(kBytes, WipeOnFork::if_possible);
        auto* const words = static_cast<std::atomic<int>*>(pages.memory);
        if (words[0].exchange(id) != 0) ++faults;
        std::this_thread::yield();
        if (words[0].load() != id) ++faults;
        unmap_fork_wiped(pages, kBytes);
      }
    });
  }
  threads.clear();
  EXPECT_EQ(faults, 0);
}

}  // namespace
}  // namespace sotto
