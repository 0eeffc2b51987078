#include "model/file_bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "core/descriptor.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::size_t kAlignment = 64;

[[noreturn]] void cannot_open(const std::filesystem::path& path, int error) {
  throw Error(ErrorCode::input_output,
              fmt::format("cannot open the model {}: {}; check the path and its permissions",
                          shown(path.string()), system_message(error)));
}

}  // namespace

FileBytes FileBytes::map(const std::filesystem::path& path) {
  // O_NONBLOCK: a pipe of that name must not hang us before we can refuse it.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) cannot_open(path, errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) cannot_open(path, errno);
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorCode::input_output,
                fmt::format("the model {} is not a regular file; give the path of a .sotto file",
                            shown(path.string())));
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return {nullptr, 0, Kind::mapped};
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file.get(), 0);
  if (address == MAP_FAILED) cannot_open(path, errno);
  return {static_cast<std::byte*>(address), size, Kind::mapped};
}

FileBytes FileBytes::zeroed(std::size_t size) {
  if (size == 0) return {nullptr, 0, Kind::owned};
  void* address = ::operator new (size, std::align_val_t{kAlignment});
  std::memset(address, 0, size);
  return {static_cast<std::byte*>(address), size, Kind::owned};
}

FileBytes::FileBytes(FileBytes&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)), kind_(other.kind_) {}

FileBytes& FileBytes::operator=(FileBytes&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(kind_, other.kind_);
  return *this;
}

FileBytes::~FileBytes() {
  if (data_ == nullptr) return;
  if (kind_ == Kind::mapped) {
    ::munmap(data_, size_);
  } else {
    ::operator delete (data_, std::align_val_t{kAlignment});
  }
}

}  // namespace sotto
