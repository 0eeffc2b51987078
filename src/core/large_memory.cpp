#include "core/large_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

namespace sotto {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kLine = 64;

}  // namespace

LargeMemory::LargeMemory(std::size_t size) : size_(size) {
  if (size == 0) return;
  // One huge page more than needed, so that the memory can begin at the start of one.
  const std::size_t whole = (size + kHugePage - 1) / kHugePage * kHugePage + kHugePage;
  void* mapped = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* begin = static_cast<std::byte*>(mapped);
  const std::size_t before = (kHugePage - reinterpret_cast<std::uintptr_t>(begin) % kHugePage) % kHugePage;
  if (before > 0) (void)munmap(begin, before);
  const std::size_t kept = whole - kHugePage;
  if (before < kHugePage) (void)munmap(begin + before + kept, kHugePage - before);
  data_ = begin + before;
  size_ = kept;
  (void)madvise(data_, size_, MADV_HUGEPAGE);  // a wish: without it everything works, slower
}

LargeMemory::~LargeMemory() {
  if (data_ != nullptr) (void)munmap(data_, size_);
}

LargeMemory::LargeMemory(LargeMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

LargeMemory& LargeMemory::operator=(LargeMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

void* Arena::allocate(std::size_t size) {
  constexpr std::size_t kBlock = 8 * kHugePage;
  size = (size + kLine - 1) / kLine * kLine;
  const std::lock_guard lock(mutex_);
  if (blocks_.empty() || blocks_.back().size() - used_ < size) {
    // The first blocks are small: many runs need few rows.
    blocks_.emplace_back(std::max(size, blocks_.size() < 4 ? kHugePage : kBlock));
    used_ = 0;
  }
  void* memory = blocks_.back().data() + used_;
  used_ += size;
  return memory;
}

}  // namespace sotto
