#include "shared/program.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <new>

#include "shared/console.h"
#include "sotto/error.h"
#include "sotto/ledger.h"

namespace sotto::cli {

namespace {

extern "C" void on_bus_error(int) {
  // Only what is safe in a signal handler.
  constexpr char kMessage[] = "sotto: the model file changed or shrank while in use\n";
  (void)!write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
  _exit(static_cast<int>(ErrorCode::input_output));
}

// Opens something on each standard descriptor that is closed. Without this the next file that is opened, such
// as the released file, gets number 0, 1 or 2, and messages are written into it. The direction is the wrong
// one on purpose: a read or a write of the stream still fails with EBADF, as on a closed descriptor, so no
// data is lost silently. /dev/full makes `-o /dev/stdout`, which opens the device once more, fail as well.
// Nothing may open a file before this.
void occupy_closed_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (::fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    const bool is_input = stream == STDIN_FILENO;
    // open() returns the lowest free number, which is `stream`: the lower ones are open.
    int opened = is_input ? ::open("/dev/null", O_WRONLY) : ::open("/dev/full", O_RDONLY);
    if (opened == -1 && !is_input) opened = ::open("/dev/null", O_RDONLY);
    if (opened != stream) _exit(static_cast<int>(ErrorCode::input_output));
  }
}

void guard_process() {
  // A reader that goes away shows as a failed write: error 4 rather than a silent death.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGBUS, on_bus_error);
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__)
  // Memory holds text in clear: no core dumps, no debugger of another process.
  constexpr rlimit kNoCore{0, 0};
  (void)setrlimit(RLIMIT_CORE, &kNoCore);
  (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}

}  // namespace

int run_program(const std::vector<std::string>& words, int (*command)(Words)) {
  occupy_closed_streams();
  guard_process();
  try {
    return command(words);
  } catch (const LimitReached& refused) {
    say(refused.what());
    return kAnswerIsNo;
  } catch (const Error& error) {
    say(error.what());
    return static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    say("out of memory");
    return static_cast<int>(ErrorCode::input_output);
  } catch (...) {
    // No what(): a library may quote the text it was given.
    say("internal error; this is a bug of ours: please report the command and the version");
    return static_cast<int>(ErrorCode::internal);
  }
}

}  // namespace sotto::cli
