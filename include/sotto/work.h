#pragma once
#include <cstddef>
#include <functional>
#include <string_view>

namespace sotto {

// `done` of `total` things called `unit` ("words").
struct Steps {
  std::size_t done = 0;
  std::size_t total = 0;
  std::string_view unit = {};
};

// How a long computation is run. The result does not depend on it.
struct Work {
  unsigned threads = 0;  // 0: one per core
  // Called by one thread at a time, perhaps often; may throw to stop the work.
  std::function<void(const Steps&)> progress = {};
  // Called when another part of the work begins, with its name ("certifying"), by the calling thread.
  std::function<void(std::string_view stage)> on_stage = {};

  // This work, with the part named that begins now.
  const Work& at(std::string_view stage) const {
    if (on_stage) on_stage(stage);
    return *this;
  }
};

}  // namespace sotto
