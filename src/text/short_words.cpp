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

// The lowest `count` bytes of a word of eight.
constexpr std::uint64_t low_bytes(std::uint64_t bytes, std::size_t count) {
  return count >= 8 ? bytes : bytes & ((std::uint64_t{1} << (8 * count)) - 1);
}

}  // namespace

ShortWords::ShortWords(const Model& model)
    : slots_(std::bit_ceil(2 * model.size() + 1)), mask_(slots_.size() - 1) {
  for (std::size_t i = 0; i < model.size(); ++i) {
    const std::string_view word = model.word(word_id(i));
    // A word that is not folded is never found (Model::find), so it must not take the place of one that is.
    if (std::ranges::any_of(word, [](char c) { return c >= 'A' && c <= 'Z'; })) continue;
    const std::optional<Key> own = key(word, 0, word.size());
    if (!own) continue;
    std::size_t slot = first_slot(*own);
    while (slots_[slot].word != kEmpty) slot = (slot + 1) & mask_;
    slots_[slot] = {own->low, own->high, static_cast<std::uint32_t>(i)};
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
  const std::uint64_t low = low_bytes(words[0], length);
  const std::uint64_t high = length <= 8 ? 0 : low_bytes(words[1], length - 8);
  if (((low | high) & kHighBits) != 0) return std::nullopt;
  // Beyond the token every byte is set, so that only a zero inside it is found.
  const std::uint64_t beyond_low = length >= 8 ? 0 : ~low_bytes(~std::uint64_t{0}, length);
  const std::uint64_t beyond_high =
      length <= 8 ? ~std::uint64_t{0} : ~low_bytes(~std::uint64_t{0}, length - 8);
  if (has_zero_byte(low | beyond_low) || has_zero_byte(high | beyond_high)) return std::nullopt;
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
