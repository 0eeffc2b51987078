#include "core/stop.h"

namespace sotto {
namespace {

thread_local const std::atomic<bool>* current = nullptr;

}  // namespace

StopScope::StopScope(const std::atomic<bool>* flag) noexcept : outer_(current) {
  current = flag;
}
StopScope::~StopScope() {
  current = outer_;
}

const std::atomic<bool>* stop_flag() noexcept {
  return current;
}

void throw_if_stopped() {
  if (current != nullptr && current->load(std::memory_order_relaxed)) throw Stopped{};
}

}  // namespace sotto
