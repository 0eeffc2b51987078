#include "core/guarded_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "sotto/error.h"

namespace sotto {
namespace {

// Reads the number of a process group, or an empty line, until we have ended.
constexpr char kGuard[] =
    R"(exec 2> /dev/null
group=
while read -r line; do group=$line; done
if [ -n "$group" ]; then kill -s KILL -- "-$group"; fi
rm -rf -- "$1")";

}  // namespace

GuardedFolder::GuardedFolder(const std::filesystem::path& parent) : folder_(parent, ".sotto-") {
  const auto fail = [&](int error_number) {
    throw Error(ErrorCode::input_output, fmt::format("cannot guard a temporary folder in {}: {}",
                                                     shown(parent.string()), system_message(error_number)));
  };
  // A socket, because a write to a guard that somebody killed must not raise SIGPIPE.
  std::array<int, 2> ends = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail(errno);
  pipe_ = Descriptor(ends[0]);
  const Descriptor its(ends[1]);
  const Descriptor nothing(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (!nothing.is_open()) fail(errno);
  guard_.emplace(
      OutsideProgram{
          .command = kGuard, .environment = {"PATH=/usr/bin:/bin"}, .arguments = {folder_.path().string()}},
      ChildProcess::Streams{.input = its.get(), .output = nothing.get()});
}

GuardedFolder::~GuardedFolder() {
  pipe_.close();
  (void)guard_->wait();
}

void GuardedFolder::also_end(pid_t group) {
  const std::string line = group > 0 ? fmt::format("{}\n", group) : "\n";
  // Without its guard the folder is still removed at the end.
  (void)::send(pipe_.get(), line.data(), line.size(), MSG_NOSIGNAL);
}

}  // namespace sotto
