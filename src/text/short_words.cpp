#include "text/short_words.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "text/eight_bytes.h"

namespace sotto {

namespace {

// Lower case, eight ASCII letters at a time: a byte from 'A' to 'Z' gets the bit 0x20.
constexpr std::uint64_t fold_eight(std::uint64_t bytes) {
  const std::uint64_t from_a = bytes + (0x80 - 'A') * kOnes;
  const std::uint64_t beyond_z = bytes + (0x80 - ('Z' + 1)) * kOnes;
  return bytes | ((from_a & ~beyond_z & kHighBits) >> 2U);
}

// By the length of a token: its bytes in the low eight and in the next four.
struct Masks {
  std::array<std::uint64_t, ShortWords::kLongest + 1> low{};
  std::array<std::uint32_t, ShortWords::kLongest + 1> high{};
};
constexpr Masks kMasks = [] {
  Masks masks;
  for (std::size_t length = 0; length <= ShortWords::kLongest; ++length) {
    for (std::size_t i = 0; i < length; ++i) {
      if (i < 8) {
        masks.low[length] |= std::uint64_t{0xFF} << (8 * i);
      } else {
        masks.high[length] |= std::uint32_t{0xFF} << (8 * (i - 8));
      }
    }
  }
  return masks;
}();

}  // namespace

ShortWords::ShortWords(const Model& model)
    : slots_(std::bit_ceil(2 * model.size() + 1)), mask_(slots_.size() - 1) {
  // The memory of a slot is asked for some words before it is written.
  constexpr std::size_t kAhead = 16;
  struct Pending {
    Key key;
    std::size_t slot = 0;
    std::uint32_t word = kEmpty;
  };
  std::array<Pending, kAhead> pending;
  const auto insert = [&](const Pending& own) {
    if (own.word == kEmpty) return;
    std::size_t slot = own.slot;
    while (slots_[slot].word != kEmpty) slot = (slot + 1) & mask_;
    slots_[slot] = {own.key.low, own.key.high, own.word};
  };
  for (std::size_t i = 0; i < model.size() + kAhead; ++i) {
    Pending& own = pending[i % kAhead];
    insert(own);
    own = {};
    if (i >= model.size()) continue;
    const std::string_view word = model.word(word_id(i));
    // A word that is not folded is never found (Model::find), so it must not take the place of one that is.
    if (std::ranges::any_of(word, [](char c) { return c >= 'A' && c <= 'Z'; })) continue;
    if (const std::optional<Key> found = key(word, 0, word.size())) {
      own = {.key = *found, .slot = first_slot(*found), .word = static_cast<std::uint32_t>(i)};
      prefetch(own.slot);
    }
  }
}

std::optional<ShortWords::Key> ShortWords::key(std::string_view text, std::size_t begin, std::size_t end) {
  const std::size_t length = end - begin;
  if (length > kLongest || length == 0) return std::nullopt;
  std::array<std::uint64_t, 2> words{};
  if (begin + sizeof(words) <= text.size()) {
    std::memcpy(words.data(), text.data() + begin, sizeof(words));
  } else {
    std::memcpy(words.data(), text.data() + begin, length);
  }
  const std::uint64_t low = words[0] & kMasks.low[length];
  const std::uint64_t high = words[1] & kMasks.high[length];
  // Beyond the token every byte is set, so that only a zero inside it is found.
  const bool has_zero =
      has_zero_byte(low | ~kMasks.low[length]) || has_zero_byte(high | ~std::uint64_t{kMasks.high[length]});
  if (((low | high) & kHighBits) != 0 || has_zero) return std::nullopt;
  return Key{fold_eight(low), static_cast<std::uint32_t>(fold_eight(high))};
}

std::optional<WordId> ShortWords::find_without_apostrophes(Key key) const {
  constexpr std::uint64_t kApostrophes = '\'' * kOnes;
  if (!has_zero_byte(key.low ^ kApostrophes) && !has_zero_byte(key.high ^ kApostrophes)) return std::nullopt;
  std::array<char, sizeof key.low + sizeof key.high> bytes{};
  std::memcpy(bytes.data(), &key.low, sizeof key.low);
  std::memcpy(bytes.data() + sizeof key.low, &key.high, sizeof key.high);
  std::fill(std::remove(bytes.begin(), bytes.end(), '\''), bytes.end(), '\0');
  Key bare;
  std::memcpy(&bare.low, bytes.data(), sizeof bare.low);
  std::memcpy(&bare.high, bytes.data() + sizeof bare.low, sizeof bare.high);
  return find(bare, first_slot(bare));  // no word is empty
}

}  // namespace sotto
