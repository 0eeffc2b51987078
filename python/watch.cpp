#include "watch.h"

#include <nanobind/stl/string.h>

#include <system_error>
#include <thread>

#include "core/stop.h"

namespace sotto::python {

namespace {

constexpr std::chrono::milliseconds kLook{50};
constexpr std::chrono::milliseconds kBarAfter{500};  // a shorter call needs no bar

}  // namespace

Watch::Watch(nb::object progress) : progress_(std::move(progress)) {
  if (!progress_.is_none() && !progress_.is(nb::handle(Py_False))) bar_ = progress_;
}

void Watch::step(const Steps& steps) {
  throw_if_stopped();
  const std::scoped_lock lock(mutex_);
  done_ = steps.done;
  total_ = steps.total;
  unit_ = steps.unit;
  ++changes_;
}

void Watch::begin(std::string_view stage) {
  const std::scoped_lock lock(mutex_);
  stage_ = stage;
}

void Watch::run_worker(const std::function<void()>& body) {
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
  const auto has_ended = [&] {
    const nb::gil_scoped_release released;
    std::unique_lock lock(mutex_);
    return has_finished_.wait_for(lock, kLook, [&] { return finished; });
  };
  while (!has_ended()) {
    if (!raised) raised = look();
  }
  if (worker.joinable()) worker.join();
  if (!raised && !fault) raised = show();
  if (bar_.is_valid() && nb::hasattr(bar_, "close") && !bar_.is(progress_)) bar_.attr("close")();
  if (raised) std::rethrow_exception(raised);
  if (fault) std::rethrow_exception(fault);
}

std::exception_ptr Watch::look() {
  if (PyErr_CheckSignals() != 0) {
    stopped_ = true;
    return std::make_exception_ptr(nb::python_error());
  }
  if (!bar_.is_valid() && progress_.is_none() && !tried_bar_ &&
      std::chrono::steady_clock::now() - started_ > kBarAfter) {
    tried_bar_ = true;
    const std::string stage = [&] {
      const std::scoped_lock lock(mutex_);
      return stage_;
    }();
    nb::object bar = nb::module_::import_("sotto._progress").attr("open_bar")(stage);
    if (!bar.is_none()) bar_ = std::move(bar);
  }
  return show();
}

std::exception_ptr Watch::show() {
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

}  // namespace sotto::python
