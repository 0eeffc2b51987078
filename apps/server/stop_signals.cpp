#include "server/stop_signals.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>

#include "sotto/error.h"

namespace sotto::server {

namespace {

int event = -1;
struct sigaction earlier_term {};
struct sigaction earlier_int {};

extern "C" void on_stop_signal(int) {
  const int saved = errno;
  constexpr std::uint64_t kOne = 1;
  (void)!write(event, &kOne, sizeof kOne);  // safe in a signal handler
  errno = saved;
}

}  // namespace

StopSignals::StopSignals() {
  event = eventfd(0, EFD_CLOEXEC);
  if (event == -1) throw Error(ErrorCode::input_output, "no event descriptor could be opened");
  struct sigaction action {};
  action.sa_handler = on_stop_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, &earlier_term);
  sigaction(SIGINT, &action, &earlier_int);
}

StopSignals::~StopSignals() {
  sigaction(SIGTERM, &earlier_term, nullptr);
  sigaction(SIGINT, &earlier_int, nullptr);
  close(event);
  event = -1;
}

void StopSignals::wait() const {
  // poll() returns when a signal comes, whatever SA_RESTART says. ThreadSanitizer runs the handler only then.
  pollfd waits{.fd = event, .events = POLLIN, .revents = 0};
  while (poll(&waits, 1, -1) == -1 && errno == EINTR) continue;
  std::uint64_t count = 0;
  (void)!read(event, &count, sizeof count);
}

void StopSignals::wake() const noexcept {
  constexpr std::uint64_t kOne = 1;
  (void)!write(event, &kOne, sizeof kOne);
}

}  // namespace sotto::server
