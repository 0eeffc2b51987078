#include "core/descriptor.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::size_t kLongestShown = 200;

// True if the call that set errno is to be made again.
bool try_again(int fd, short events) {
  if (errno == EINTR) return true;
  if (errno != EAGAIN) return false;
  pollfd waiting{.fd = fd, .events = events, .revents = 0};
  return ::poll(&waiting, 1, -1) >= 0 || errno == EINTR;
}

std::string_view advice_for(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return "; free some space or write to another disk";
    case EPIPE:
      return "; the program that reads it has stopped";
    case EFBIG:
      return "; write to another file system or split the input";
    default:
      return "";
  }
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = other.release();
  }
  return *this;
}

int Descriptor::release() noexcept {
  return std::exchange(fd_, -1);
}

int Descriptor::close() noexcept {
  if (fd_ < 0) return 0;
  // Linux frees the number even when close() fails, so it is never retried.
  return ::close(release()) == 0 || errno == EINTR ? 0 : errno;
}

void write_all(int fd, std::string_view bytes, std::string_view name) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
      continue;
    }
    if (written < 0 && try_again(fd, POLLOUT)) continue;
    const int error_number = written < 0 ? errno : EIO;
    throw Error(ErrorCode::input_output, fmt::format("cannot write {}: {}{}", shown(name),
                                                     system_message(error_number), advice_for(error_number)));
  }
}

std::size_t read_some(int fd, char* buffer, std::size_t capacity, std::string_view name) {
  for (;;) {
    const ssize_t count = ::read(fd, buffer, capacity);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (try_again(fd, POLLIN)) continue;
    throw Error(ErrorCode::input_output,
                fmt::format("cannot read {}: {}", shown(name), system_message(errno)));
  }
}

std::string system_message(int error_number) {
  return std::generic_category().message(error_number);
}

std::string shown(std::string_view typed) {
  std::string text(typed.substr(0, kLongestShown));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; },
      '?');
  if (typed.size() > kLongestShown) text += "...";
  return text;
}

std::string cannot_read(std::string_view path, int error) {
  const bool is_address = path.find("://") != std::string_view::npos;
  return fmt::format(
      "cannot read {}: {}; {}", shown(path), system_message(error),
      is_address ? "download it first, for example with curl -L ADDRESS -o FILE" : "check the path");
}

}  // namespace sotto
