#pragma once
#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "core/stop.h"
#include "sotto/work.h"

namespace sotto::python {

namespace nb = nanobind;

// Runs one long call of the engine on a thread of its own, without the GIL, while the calling thread looks
// for signals and shows progress: Python code runs in the calling thread only. The worker has ended when
// run() returns, whatever happened, so nothing is left over for a fork.
class Watch {
 public:
  // `progress`: None, a bar of tqdm if there is a terminal; False, none; else called with done, total, unit.
  Watch(nb::object progress, const char* title) : progress_(std::move(progress)), title_(title) {
    if (!progress_.is_none() && !progress_.is(nb::handle(Py_False))) bar_ = progress_;
  }

  template <typename Body>
  auto run(unsigned threads, const Body& body) {
    const Work work{.threads = threads, .progress = [this](const Steps& steps) { step(steps); }};
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
  void step(const Steps& steps) {
    throw_if_stopped();
    const std::scoped_lock lock(mutex_);
    done_ = steps.done;
    total_ = steps.total;
    unit_ = steps.unit;
    ++changes_;
  }

 private:
  static constexpr std::chrono::milliseconds kLook{50};
  static constexpr std::chrono::milliseconds kBarAfter{500};  // a shorter call needs no bar

  void run_worker(const std::function<void()>& body) {
    std::exception_ptr fault;
    bool finished = false;
    const auto work = [&] {
      const StopScope scope(&stopped_);
      try {
        body();
      } catch (...) {
        fault = std::current_exception();
      }
      const std::scoped_lock lock(mutex_);
      finished = true;
      has_finished_.notify_all();
    };
    std::thread worker;
    try {
      worker = std::thread(work);
    } catch (const std::system_error&) {  // no thread to be had: then without signals
      const nb::gil_scoped_release released;
      work();
    }
    std::exception_ptr raised;
    while (!wait([&] { return finished; })) {
      if (!raised) raised = look();
    }
    if (worker.joinable()) worker.join();
    if (!raised && !fault) raised = show();
    if (bar_.is_valid() && nb::hasattr(bar_, "close") && !bar_.is(progress_)) bar_.attr("close")();
    if (raised) std::rethrow_exception(raised);
    if (fault) std::rethrow_exception(fault);
  }

  template <typename Done>
  bool wait(const Done& done) {
    const nb::gil_scoped_release released;
    std::unique_lock lock(mutex_);
    return has_finished_.wait_for(lock, kLook, done);
  }

  // What a signal handler or the user's progress function raised, after which the worker is told to stop.
  std::exception_ptr look() {
    if (PyErr_CheckSignals() != 0) {
      stopped_ = true;
      return std::make_exception_ptr(nb::python_error());
    }
    if (!bar_.is_valid() && progress_.is_none() && !tried_bar_ &&
        std::chrono::steady_clock::now() - started_ > kBarAfter) {
      tried_bar_ = true;
      nb::object bar = nb::module_::import_("sotto._progress").attr("open_bar")(title_);
      if (!bar.is_none()) bar_ = std::move(bar);
    }
    return show();
  }

  std::exception_ptr show() {
    if (!bar_.is_valid()) return nullptr;
    std::size_t done = 0;
    std::size_t total = 0;
    std::string unit;
    {
      const std::scoped_lock lock(mutex_);
      if (changes_ == shown_) return nullptr;
      shown_ = changes_;
      done = done_;
      total = total_;
      unit = unit_;
    }
    try {
      bar_(done, total, unit);
    } catch (const nb::python_error&) {
      stopped_ = true;
      return std::current_exception();
    }
    return nullptr;
  }

  nb::object progress_;
  nb::object bar_;
  const char* title_;
  bool tried_bar_ = false;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::condition_variable has_finished_;
  std::size_t done_ = 0;
  std::size_t total_ = 0;
  std::string unit_;
  std::uint64_t changes_ = 0;
  std::uint64_t shown_ = 0;
};

}  // namespace sotto::python
