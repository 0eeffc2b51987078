#include "core/fork_wiped.h"

#include <openssl/crypto.h>
#include <sys/mman.h>

#include <array>
#include <atomic>

#include "sotto/error.h"

namespace sotto {

namespace {

// Cleansed pages of one size. There is no lock that a child of fork() could find taken for ever: a thread
// takes pages by exchanging their slot for nothing.
struct Shelf {
  std::size_t bytes;
  std::array<std::atomic<void*>, 32> slots;

  void* take() noexcept {
    for (std::atomic<void*>& slot : slots) {
      if (slot.load(std::memory_order_relaxed) == nullptr) continue;
      if (void* const memory = slot.exchange(nullptr, std::memory_order_acquire)) return memory;
    }
    return nullptr;
  }
  // False: the shelf is full.
  bool put(void* memory) noexcept {
    for (std::atomic<void*>& slot : slots) {
      void* nothing = nullptr;
      if (slot.compare_exchange_strong(nothing, memory, std::memory_order_release,
                                       std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }
};

constexpr std::size_t kPage = 4096;
constinit std::array<Shelf, 2> shelves = {{{.bytes = kPage, .slots = {}}, {.bytes = 4 * kPage, .slots = {}}}};

Shelf* shelf_of(std::size_t bytes) noexcept {
  for (Shelf& shelf : shelves) {
    if (bytes <= shelf.bytes) return &shelf;
  }
  return nullptr;
}

std::size_t whole_size(const Shelf* shelf, std::size_t bytes) noexcept {
  return shelf == nullptr ? bytes : shelf->bytes;
}

}  // namespace

ForkWiped map_fork_wiped(std::size_t bytes, WipeOnFork wanted) {
  Shelf* const shelf = shelf_of(bytes);
  bytes = whole_size(shelf, bytes);
  if (shelf != nullptr && wanted == WipeOnFork::if_possible) {
    if (void* const kept = shelf->take()) return {kept, WipedByKernel::yes};
  }
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw Error(ErrorCode::internal, "no memory for the random generator");
  (void)::madvise(memory, bytes, MADV_DONTDUMP);  // a second line: release builds write no dumps
  const bool wiped = wanted == WipeOnFork::if_possible && ::madvise(memory, bytes, MADV_WIPEONFORK) == 0;
  return {memory, wiped ? WipedByKernel::yes : WipedByKernel::no};
}

void unmap_fork_wiped(ForkWiped pages, std::size_t bytes) noexcept {
  Shelf* const shelf = shelf_of(bytes);
  OPENSSL_cleanse(pages.memory, bytes);  // the rest was never written
  if (shelf != nullptr && pages.wiped == WipedByKernel::yes && shelf->put(pages.memory)) return;
  ::munmap(pages.memory, whole_size(shelf, bytes));
}

}  // namespace sotto
