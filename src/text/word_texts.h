#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "sotto/model.h"

namespace sotto {

// The texts of a model's words, each of up to 15 bytes in a slot of 16: to write a word waits for memory
// once, where Model::word waits twice, and copies a fixed number of bytes. The model must outlive it.
class WordTexts {
 public:
  // copy() may write so many bytes beyond the text.
  static constexpr std::size_t kBeyond = 16;

  explicit WordTexts(const Model& model);

  [[nodiscard]] std::size_t size(WordId word) const {
    const Slot& slot = slots_[index_of(word)];
    return slot.size != kLong ? slot.size : model_->word(word).size();
  }

  // Writes the text of `word` to `out`, and returns its end. `out` must have room for size(word) + kBeyond
  // bytes.
  char* copy(WordId word, char* out) const {
    const Slot& slot = slots_[index_of(word)];
    if (slot.size == kLong) [[unlikely]] {
      const std::string_view text = model_->word(word);
      std::memcpy(out, text.data(), text.size());
      return out + text.size();
    }
    std::memcpy(out, &slot, sizeof slot);
    return out + slot.size;
  }

 private:
  static constexpr std::uint8_t kLong = 0xFF;
  struct alignas(16) Slot {
    std::array<char, 15> text{};
    std::uint8_t size = kLong;
  };
  static_assert(sizeof(Slot) == kBeyond);

  const Model* model_;
  std::vector<Slot> slots_;
};

}  // namespace sotto
