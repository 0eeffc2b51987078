#pragma once
#include <cstddef>
#include <filesystem>
#include <span>

namespace sotto {

// The bytes of one model file at a 64-byte aligned address: mapped from disk, or owned memory.
class FileBytes {
 public:
  // Read-only and shared with the page cache. Throws Error(input_output). An empty file maps to an
  // empty span. Truncating the file while it is mapped is a SIGBUS for its reader.
  static FileBytes map(const std::filesystem::path& path);
  // Owned memory, all zero.
  static FileBytes zeroed(std::size_t size);

  FileBytes(FileBytes&& other) noexcept;
  FileBytes& operator=(FileBytes&& other) noexcept;
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  ~FileBytes();

  [[nodiscard]] std::span<const std::byte> view() const noexcept { return {data_, size_}; }
  // Only of owned memory.
  [[nodiscard]] std::span<std::byte> writable() noexcept { return {data_, size_}; }

 private:
  enum class Kind { mapped, owned };
  FileBytes(std::byte* data, std::size_t size, Kind kind) : data_(data), size_(size), kind_(kind) {}

  std::byte* data_;
  std::size_t size_;
  Kind kind_;
};

}  // namespace sotto
