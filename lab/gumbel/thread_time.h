#pragma once
#include <ctime>
#include <utility>

namespace sotto::lab::gumbel {

// Processor time of the calling thread, which other work on the machine does not lengthen. A cell of tables 2
// and 3 runs on one thread from its start to its end.
class ThreadTime {
 public:
  // Since the start, or the last call. On the thread that made the object.
  double seconds() {
    const double now = spent();
    return now - std::exchange(since_, now);
  }

 private:
  static double spent() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
  double since_ = spent();
};

}  // namespace sotto::lab::gumbel
