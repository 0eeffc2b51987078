#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace sotto {

// Owns a file descriptor; -1 is none.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] bool is_open() const noexcept { return fd_ >= 0; }
  int release() noexcept;
  // 0, or the error number: some file systems report a full disk only here.
  int close() noexcept;

 private:
  int fd_ = -1;
};

// Both retry after signals and wait on non-blocking descriptors. `name` is the subject of the
// Error(input_output) that they throw.
void write_all(int fd, std::string_view bytes, std::string_view name);
std::size_t read_some(int fd, char* buffer, std::size_t capacity, std::string_view name);

// "No space left on device" and the like.
std::string system_message(int error_number);
// A name or value that the user typed, fit for one line of a terminal: control characters become
// '?', and a long one is cut.
std::string shown(std::string_view typed);
// "cannot read a.csv: No such file or directory; check the path", of a path as it was typed.
std::string cannot_read(std::string_view path, int error);

}  // namespace sotto
