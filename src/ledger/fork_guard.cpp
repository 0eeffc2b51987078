#include "ledger/fork_guard.h"

#include <pthread.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "sotto/error.h"

namespace sotto::ledger {

namespace {

struct Registry {
  std::mutex mutex;
  std::vector<ForkGuarded*> members;
};

// Never destroyed: fork() may come after the destructors of static objects.
Registry& registry() {
  static auto* const all = new Registry;
  return *all;
}

void prepare() {
  registry().mutex.lock();
  for (ForkGuarded* member : registry().members) member->before_fork();
}

void in_parent() {
  for (ForkGuarded* member : registry().members) member->after_fork_in_parent();
  registry().mutex.unlock();
}

void in_child() {
  for (ForkGuarded* member : registry().members) member->after_fork_in_child();
  registry().mutex.unlock();
}

}  // namespace

void ForkGuarded::join() {
  static const int registered = ::pthread_atfork(prepare, in_parent, in_child);
  if (registered != 0) throw Error(ErrorCode::internal, "pthread_atfork failed");
  const std::scoped_lock lock(registry().mutex);
  registry().members.push_back(this);
}

void ForkGuarded::leave() noexcept {
  const std::scoped_lock lock(registry().mutex);
  std::erase(registry().members, this);
}

}  // namespace sotto::ledger
