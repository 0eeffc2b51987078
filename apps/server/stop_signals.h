#pragma once

namespace sotto::server {

// SIGTERM and SIGINT as something to wait for, while it lives; one at a time in a process. Threads that
// libraries started earlier may get the signal, so it is caught by a handler and not by a mask.
class StopSignals {
 public:
  StopSignals();  // throws Error(input_output)
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // Returns after a signal or after wake().
  void wait() const;
  void wake() const noexcept;
};

}  // namespace sotto::server
