#pragma once
#include <cstddef>
#include <mutex>
#include <vector>

namespace sotto {

// Memory that is read at random places: zeroed, asked for in huge pages, since otherwise looking up the page
// costs as much as the read. Movable; given back whole. Throws std::bad_alloc.
class LargeMemory {
 public:
  LargeMemory() = default;
  explicit LargeMemory(std::size_t size);
  ~LargeMemory();
  LargeMemory(LargeMemory&& other) noexcept;
  LargeMemory& operator=(LargeMemory&& other) noexcept;
  LargeMemory(const LargeMemory&) = delete;
  LargeMemory& operator=(const LargeMemory&) = delete;

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// Many pieces of such memory that live as long as the arena. Thread-safe.
class Arena {
 public:
  // Aligned to 64 bytes.
  void* allocate(std::size_t size);

 private:
  std::mutex mutex_;
  std::vector<LargeMemory> blocks_;
  std::size_t used_ = 0;  // of the last block
};

}  // namespace sotto
