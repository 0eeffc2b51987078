#pragma once
#include <cstddef>
#include <functional>

namespace sotto {

// Calls body(begin, end) on disjoint blocks that cover [0, count), on `threads` threads (0: one per
// core), and returns when all are done. The first exception is thrown again here. Threads live only
// for the call, so nothing is left over for a fork.
void parallel_blocks(std::size_t count, std::size_t block, unsigned threads,
                     const std::function<void(std::size_t, std::size_t)>& body);

// `requested`, or the number of cores if 0.
unsigned thread_count(unsigned requested);

}  // namespace sotto
