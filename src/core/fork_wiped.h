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
// leave out. Throws Error(internal) when there is no memory. Thread-safe, and usable in a child of fork().
ForkWiped map_fork_wiped(std::size_t bytes, WipeOnFork wanted);
// Cleanses and gives back. A few pages that the kernel wipes are kept for the next map_fork_wiped: mapping
// pages for every short text would cost a server more than the text (40 us on two cores).
void unmap_fork_wiped(ForkWiped pages, std::size_t bytes) noexcept;

}  // namespace sotto
