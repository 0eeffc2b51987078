#pragma once
#include <cstddef>

namespace sotto {

enum class WipedByKernel { no, yes };
enum class WipeOnFork { if_possible, never };  // never: to test what old kernels get

struct ForkWiped {
  void* memory;  // zeroed, page-aligned
  WipedByKernel wiped;
};

// Private memory that a child of fork() finds zeroed (MADV_WIPEONFORK, Linux 4.14) and that core dumps
// leave out. Throws Error(internal) when there is no memory.
ForkWiped map_fork_wiped(std::size_t bytes, WipeOnFork wanted);
// Cleanses and gives back.
void unmap_fork_wiped(void* memory, std::size_t bytes) noexcept;

}  // namespace sotto
