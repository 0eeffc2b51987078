#pragma once
#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sotto {

// The words of a model and their hash table, as they lie in the file: open addressing with linear
// probing on XXH3-64 of the word. Refers to memory of others.
struct WordTable {
  std::size_t size = 0;
  const std::uint32_t* ends = nullptr;  // word i is bytes [ends[i-1], ends[i])
  const char* bytes = nullptr;
  const std::uint32_t* slots = nullptr;  // a word's index, or `size` where empty
  std::size_t slot_count = 0;            // a power of two above `size`

  [[nodiscard]] std::string_view word(std::size_t index) const {
    const std::size_t begin = index == 0 ? 0 : ends[index - 1];
    return {bytes + begin, ends[index] - begin};
  }

  // Needs only that every slot is at most `size`: it ends after slot_count probes on any table.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view word_to_find) const {
    const std::size_t mask = slot_count - 1;
    std::size_t slot = first_slot(word_to_find) & mask;
    for (std::size_t probes = 0; probes < slot_count; ++probes, slot = (slot + 1) & mask) {
      const std::size_t index = slots[slot];
      if (index == size) return std::nullopt;
      if (word(index) == word_to_find) return index;
    }
    return std::nullopt;
  }

  static std::size_t first_slot(std::string_view word) { return XXH3_64bits(word.data(), word.size()); }
};

}  // namespace sotto
