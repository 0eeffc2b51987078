// Compiled once per SIMD target by Highway and chosen at run time.
#include "text/word_blocks.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "text/word_classes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "text/word_blocks.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, by Highway's rule.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void find_word_blocks_target(const std::uint8_t* text, std::size_t blocks, const AsciiSets& sets,
                             WordBlock* out) {
  const hn::CappedTag<std::uint8_t, 64> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto words = hn::LoadDup128(d, sets.word.data());
  const auto clears = hn::LoadDup128(d, sets.clear.data());
  // The bit of a high half; none from 8 on: those bytes are not ASCII.
  alignas(16) constexpr std::array<std::uint8_t, 16> kBits = {1, 2, 4, 8, 16, 32, 64, 128};
  const auto bits = hn::LoadDup128(d, kBits.data());
  const auto low_half = hn::Set(d, 0x0F);
  for (std::size_t b = 0; b < blocks; ++b) {
    std::array<std::uint8_t, 8> word_bits{};
    std::array<std::uint8_t, 8> clear_bits{};
    for (std::size_t at = 0; at < 64; at += lanes) {
      const auto bytes = hn::LoadU(d, text + 64 * b + at);
      const auto low = hn::And(bytes, low_half);
      const auto bit = hn::TableLookupBytes(bits, hn::ShiftRight<4>(bytes));
      const auto has = [&](auto rows) HWY_ATTR {
        return hn::Ne(hn::And(hn::TableLookupBytes(rows, low), bit), hn::Zero(d));
      };
      hn::StoreMaskBits(d, has(words), word_bits.data() + at / 8);
      hn::StoreMaskBits(d, has(clears), clear_bits.data() + at / 8);
    }
    std::uint64_t word = 0;
    std::uint64_t clear = 0;
    std::memcpy(&word, word_bits.data(), sizeof word);
    std::memcpy(&clear, clear_bits.data(), sizeof clear);
    out[b] = {.word = word, .special = ~(word | clear)};
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto {
namespace {

HWY_EXPORT(find_word_blocks_target);

AsciiSets ascii_sets() {
  AsciiSets sets;
  for (std::size_t c = 0; c < WordClasses::ascii().size(); ++c) {
    const WordClass kind = WordClasses::ascii()[c];
    const auto bit = static_cast<std::uint8_t>(1U << (c / 16));
    if (kind == WordClass::letter || kind == WordClass::digit) sets.word[c % 16] |= bit;
    if (kind == WordClass::clear) sets.clear[c % 16] |= bit;
  }
  return sets;
}

}  // namespace

void find_word_blocks(std::string_view text, std::vector<WordBlock>& out) {
  static const AsciiSets sets = ascii_sets();
  constexpr std::size_t kBlock = 64;
  const std::size_t whole = text.size() / kBlock;
  const std::size_t rest = text.size() % kBlock;
  out.resize(whole + (rest > 0 ? 1 : 0));
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  const auto find = HWY_DYNAMIC_DISPATCH(find_word_blocks_target);
  find(bytes, whole, sets, out.data());
  if (rest == 0) return;
  std::array<std::uint8_t, kBlock> last{};
  std::copy_n(bytes + whole * kBlock, rest, last.begin());
  find(last.data(), 1, sets, out.data() + whole);
  const std::uint64_t inside = (std::uint64_t{1} << rest) - 1;
  out.back().word &= inside;
  out.back().special &= inside;
}

}  // namespace sotto
#endif
