#pragma once
#include <atomic>

namespace sotto {

// Thrown through a computation that is to stop. Not a std::exception: nothing on the way may take it for a
// fault that it can handle.
struct Stopped {};

// While it lives, throw_if_stopped() in this thread, and in those that parallel_blocks starts from it, looks
// at the flag. For callers that must be able to stop any long call (Ctrl-C in Python), also where no progress
// is shown.
class StopScope {
 public:
  explicit StopScope(const std::atomic<bool>* flag) noexcept;  // null: nothing to look at
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  const std::atomic<bool>* outer_;
};

// The flag of the innermost scope, or null.
const std::atomic<bool>* stop_flag() noexcept;
// parallel_blocks asks before each block; a block that takes longer than some tenths of a second should ask
// too.
void throw_if_stopped();

}  // namespace sotto
