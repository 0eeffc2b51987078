#include "core/fork_wiped.h"

#include <openssl/crypto.h>
#include <sys/mman.h>

#include "sotto/error.h"

namespace sotto {

ForkWiped map_fork_wiped(std::size_t bytes, WipeOnFork wanted) {
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw Error(ErrorCode::internal, "no memory for the random generator");
  (void)::madvise(memory, bytes, MADV_DONTDUMP);  // a second line: release builds write no dumps
  const bool wiped = wanted == WipeOnFork::if_possible && ::madvise(memory, bytes, MADV_WIPEONFORK) == 0;
  return {memory, wiped ? WipedByKernel::yes : WipedByKernel::no};
}

void unmap_fork_wiped(void* memory, std::size_t bytes) noexcept {
  OPENSSL_cleanse(memory, bytes);
  ::munmap(memory, bytes);
}

}  // namespace sotto
