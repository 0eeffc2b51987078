#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sotto/model.h"

namespace sotto {

// The words of a model of at most 12 ASCII bytes, each in one slot of 16 bytes: a look-up waits for memory
// once, where Model::find waits three times. Public data alone decides where a word lies, so that time tells
// nothing about other texts.
class ShortWords {
 public:
  static constexpr std::size_t kLongest = 12;

  // A folded token, zero-padded.
  struct Key {
    std::uint64_t low = 0;
    std::uint32_t high = 0;
    bool operator==(const Key&) const = default;
  };

  explicit ShortWords(const Model& model);

  // The key of a token of `text`: ASCII folded. None if the token is longer, not ASCII, or holds a zero byte:
  // such tokens take the general way.
  [[nodiscard]] static std::optional<Key> key(std::string_view text, std::size_t begin, std::size_t end);

  // Where the search for `key` begins. prefetch() lets the memory of several keys arrive together.
  [[nodiscard]] std::size_t first_slot(Key key) const noexcept {
    // A multiplication moves the differences of low bits up, the shift brings them down again.
    std::uint64_t mixed =
        (key.low ^ (std::uint64_t{key.high} << 21U) ^ (std::uint64_t{key.high} << 43U)) * 0x9E3779B97F4A7C15U;
    mixed ^= mixed >> 29U;
    mixed *= 0xD6E8FEB86659FD93U;
    return (mixed >> 32U) & mask_;
  }
  void prefetch(std::size_t slot) const noexcept { __builtin_prefetch(&slots_[slot]); }
  // The word of this key: none if the model has no such word, since every word that has a key is here.
  [[nodiscard]] std::optional<WordId> find(Key key, std::size_t slot) const noexcept {
    // At least half of the slots are empty, so the search ends.
    for (;; slot = (slot + 1) & mask_) {
      const Slot& own = slots_[slot];
      if (own.word == kEmpty) return std::nullopt;
      if (own.low == key.low && own.high == key.high) return word_id(own.word);
    }
  }
  // The word of the token without its apostrophes; none if it has none.
  [[nodiscard]] std::optional<WordId> find_without_apostrophes(Key key) const;

 private:
  struct Slot {
    std::uint64_t low = 0;
    std::uint32_t high = 0;
    std::uint32_t word = kEmpty;
  };
  static constexpr std::uint32_t kEmpty = 0xFFFFFFFFU;

  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
};

}  // namespace sotto
