#pragma once
#include <chrono>
#include <utility>

namespace sotto::lab {

class Stopwatch {
 public:
  // Since the start, or the last call.
  double seconds() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(since_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

}  // namespace sotto::lab
