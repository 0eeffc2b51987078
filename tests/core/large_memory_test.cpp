#include "core/large_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <thread>

namespace sotto {
namespace {

TEST(LargeMemory, IsZeroedAndMovable) {
  LargeMemory memory(5'000'000);
  ASSERT_GE(memory.size(), 5'000'000U);
  for (std::size_t i = 0; i < memory.size(); i += 4096) ASSERT_EQ(memory.data()[i], std::byte{0});
  memory.data()[memory.size() - 1] = std::byte{7};
  LargeMemory other = std::move(memory);
  EXPECT_EQ(other.data()[other.size() - 1], std::byte{7});
  LargeMemory third;
  third = std::move(other);
  EXPECT_EQ(third.data()[third.size() - 1], std::byte{7});
  EXPECT_EQ(LargeMemory(0).size(), 0U);
}

TEST(Arena, PiecesAreAlignedApartAndOfTheThreads) {
  Arena arena;
  std::vector<std::vector<unsigned char*>> pieces(3);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < pieces.size(); ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t i = 0; i < 3000; ++i) {
          auto* piece = static_cast<unsigned char*>(arena.allocate(1 + i % 6000));
          std::memset(piece, static_cast<int>(t * 80 + i % 80), 1 + i % 6000);
          pieces[t].push_back(piece);
        }
      });
    }
  }
  for (std::size_t t = 0; t < pieces.size(); ++t) {
    for (std::size_t i = 0; i < pieces[t].size(); ++i) {
      const unsigned char* piece = pieces[t][i];
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(piece) % 64, 0U);
      const auto mark = static_cast<unsigned char>(t * 80 + i % 80);
      ASSERT_TRUE(piece[0] == mark && piece[i % 6000] == mark);
    }
  }
  EXPECT_NE(arena.allocate(100'000'000), nullptr);  // larger than any block
}

}  // namespace
}  // namespace sotto
