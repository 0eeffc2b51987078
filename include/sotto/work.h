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
};

}  // namespace sotto
