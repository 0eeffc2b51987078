#pragma once
#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "sotto/work.h"

namespace sotto::python {

namespace nb = nanobind;

// Runs one long call of the engine on a thread of its own, without the GIL, while the calling thread looks
// for signals and shows progress: Python code runs in the calling thread only. The worker has ended when
// run() returns, whatever happened, so nothing is left over for a fork.
class Watch {
 public:
  // `progress`: None, a bar of tqdm if there is a terminal; False, none; else called with done, total, unit.
  explicit Watch(nb::object progress);

  template <typename Body>
  auto run(unsigned threads, const Body& body) {
    const Work work{.threads = threads,
                    .progress = [this](const Steps& steps) { step(steps); },
                    .on_stage = [this](std::string_view stage) { begin(stage); }};
    if constexpr (std::is_void_v<std::invoke_result_t<Body, const Work&>>) {
      run_worker([&] { body(work); });
    } else {
      std::optional<std::invoke_result_t<Body, const Work&>> result;
      run_worker([&] { result.emplace(body(work)); });
      return std::move(*result);
    }
  }

  // For the worker: notes how far it is. Throws Stopped once the user has stopped the call, which
  // parallel_blocks does too.
  void step(const Steps& steps);

 private:
  void begin(std::string_view stage);
  void run_worker(const std::function<void()>& body);
  // What a signal handler or the user's progress function raised, after which the worker is told to stop.
  std::exception_ptr look();
  std::exception_ptr show();

  nb::object progress_;
  nb::object bar_;
  bool tried_bar_ = false;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::condition_variable has_finished_;
  std::string stage_ = "working";  // what a bar says
  std::size_t done_ = 0;
  std::size_t total_ = 0;
  std::string unit_;
  std::uint64_t changes_ = 0;
  std::uint64_t shown_ = 0;
};

}  // namespace sotto::python
