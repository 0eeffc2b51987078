// Compiled once per SIMD target by Highway and chosen at run time.
//
// For text without hard bytes the rules of UAX 29 look at single bytes and their two neighbours, so that
// shifts of 64 bits decide them: a middle character joins if both of its neighbours are letters, or both are
// digits.
#include "text/word_blocks.h"

#include <algorithm>
#include <bit>
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

// The bytes of one block that are in each set of AsciiSets.
struct Classes {
  std::uint64_t letter = 0;
  std::uint64_t digit = 0;
  std::uint64_t symbol = 0;
  std::uint64_t mid_letter = 0;
  std::uint64_t mid_digit = 0;
  std::uint64_t hard = 0;
};

#if HWY_TARGET == HWY_SCALAR
// One lane holds no table of 16 bytes.
class Classifier {
 public:
  explicit Classifier(const AsciiSets& sets) : sets_(sets) {}

  [[nodiscard]] Classes operator()(const std::uint8_t* bytes) const {
    return {.letter = members(bytes, sets_.letter),
            .digit = members(bytes, sets_.digit),
            .symbol = members(bytes, sets_.symbol),
            .mid_letter = members(bytes, sets_.mid_letter),
            .mid_digit = members(bytes, sets_.mid_digit),
            .hard = ~members(bytes, sets_.letter) & ~members(bytes, sets_.digit) &
                    ~members(bytes, sets_.symbol) & ~members(bytes, sets_.mid_letter) &
                    ~members(bytes, sets_.mid_digit) & ~members(bytes, sets_.clear)};
  }

 private:
  [[nodiscard]] static std::uint64_t members(const std::uint8_t* bytes, const AsciiSets::Set& set) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < WordBlock::kBytes; ++i) {
      const bool is_member = bytes[i] < 0x80 && (set[bytes[i] % 16] >> (bytes[i] / 16) & 1U) != 0;
      bits |= std::uint64_t{is_member} << i;
    }
    return bits;
  }

  const AsciiSets& sets_;
};
#else
class Classifier {
 public:
  explicit Classifier(const AsciiSets& sets) : sets_(sets) {}

  [[nodiscard]] Classes operator()(const std::uint8_t* bytes) const {
    const D d;
    // The bit of a high half; none from 8 on: those bytes are not ASCII, and in no set.
    alignas(16) constexpr std::array<std::uint8_t, 16> kBits = {1, 2, 4, 8, 16, 32, 64, 128};
    const V bit_of_high = hn::LoadDup128(d, kBits.data());
    const V low_half = hn::Set(d, 0x0F);
    Classes found;
    std::uint64_t easy = 0;
    // At least 16 lanes, so that each mask is whole bytes.
    for (std::size_t at = 0; at < WordBlock::kBytes; at += hn::Lanes(d)) {
      const V own = hn::LoadU(d, bytes + at);
      const V low = hn::And(own, low_half);
      const V bit = hn::TableLookupBytes(bit_of_high, hn::ShiftRight<4>(own));
      const auto members = [&](const AsciiSets::Set& set) HWY_ATTR {
        const V row = hn::TableLookupBytes(hn::LoadDup128(d, set.data()), low);
        std::uint64_t bits = 0;
        hn::StoreMaskBits(d, hn::Ne(hn::And(row, bit), hn::Zero(d)), reinterpret_cast<std::uint8_t*>(&bits));
        bits <<= at;
        easy |= bits;
        return bits;
      };
      found.letter |= members(sets_.letter);
      found.digit |= members(sets_.digit);
      found.symbol |= members(sets_.symbol);
      found.mid_letter |= members(sets_.mid_letter);
      found.mid_digit |= members(sets_.mid_digit);
      members(sets_.clear);
    }
    found.hard = ~easy;
    return found;
  }

 private:
  using D = hn::CappedTag<std::uint8_t, WordBlock::kBytes>;
  using V = hn::Vec<D>;

  const AsciiSets& sets_;
};
#endif

bool find_word_blocks_target(const std::uint8_t* text, std::size_t size, const AsciiSets& sets,
                             WordBlock* blocks) {
  constexpr std::size_t kBytes = WordBlock::kBytes;
  const Classifier classify(sets);
  const auto classes_at = [&](std::size_t at) HWY_ATTR {
    if (at + kBytes <= size) return classify(text + at);
    std::array<std::uint8_t, kBytes> last{};
    const std::size_t rest = at < size ? size - at : 0;
    std::copy_n(text + size - rest, rest, last.begin());
    Classes found = classify(last.data());
    const std::uint64_t inside = (std::uint64_t{1} << rest) - 1;
    for (std::uint64_t* bits :
         {&found.letter, &found.digit, &found.symbol, &found.mid_letter, &found.mid_digit, &found.hard}) {
      *bits &= inside;
    }
    return found;
  };
  std::uint64_t any_hard = 0;
  Classes previous;
  std::uint64_t previous_word = 0;
  Classes own = classes_at(0);
  for (std::size_t b = 0; b <= size / kBytes; ++b) {
    const Classes next = classes_at((b + 1) * kBytes);
    const auto from_left = [](std::uint64_t before, std::uint64_t bits) {
      return bits << 1U | before >> 63U;
    };
    const auto between = [&](std::uint64_t before, std::uint64_t bits, std::uint64_t after) {
      return from_left(before, bits) & (bits >> 1U | after << 63U);
    };
    const std::uint64_t word = own.letter | own.digit |
                               (own.mid_letter & between(previous.letter, own.letter, next.letter)) |
                               (own.mid_digit & between(previous.digit, own.digit, next.digit));
    const std::uint64_t after_word = from_left(previous_word, word);
    blocks[b] = {.starts = (word & ~after_word) | own.symbol,
                 .ends = (after_word & ~word) | from_left(previous.symbol, own.symbol),
                 .hard = own.hard};
    any_hard |= own.hard;
    previous = own;
    previous_word = word;
    own = next;
  }
  return any_hard != 0;
}

// The bits of block `b` that lie in [begin, end).
std::uint64_t bits_inside(std::size_t b, std::size_t begin, std::size_t end) {
  constexpr std::size_t kBytes = WordBlock::kBytes;
  std::uint64_t bits = ~std::uint64_t{0};
  if (begin > b * kBytes) bits <<= begin - b * kBytes;
  if (end < (b + 1) * kBytes) bits &= (std::uint64_t{1} << (end - b * kBytes)) - 1;
  return bits;
}

std::size_t count_tokens_target(const WordBlock* blocks, std::size_t begin, std::size_t end) {
  std::size_t count = 0;
  for (std::size_t b = begin / WordBlock::kBytes; b * WordBlock::kBytes < end; ++b)
    count += static_cast<std::size_t>(std::popcount(blocks[b].starts & bits_inside(b, begin, end)));
  return count;
}

// Writes the places of all bits through `member`, in groups: a branch for each bit would be mispredicted too
// often. Fewer than kSpareTokens places beyond the last one are written too. Returns the place after the
// last.
template <std::uint32_t Token::*kMember>
Token* write_places(std::uint64_t bits, std::size_t base, Token* out) {
  Token* const end = out + std::popcount(bits);
  for (Token* group = out; group < end; group += kSpareTokens) {
    for (std::size_t i = 0; i < kSpareTokens; ++i) {
      group[i].*kMember = static_cast<std::uint32_t>(base + static_cast<std::size_t>(std::countr_zero(bits)));
      bits &= bits - 1;
    }
  }
  return end;
}

void write_tokens_target(const WordBlock* blocks, std::size_t begin, std::size_t end, Token* out) {
  Token* begins = out;
  Token* ends = out;
  for (std::size_t b = begin / WordBlock::kBytes; b * WordBlock::kBytes < end; ++b) {
    const std::uint64_t inside = bits_inside(b, begin, end);
    const std::size_t base = b * WordBlock::kBytes;
    begins = write_places<&Token::begin>(blocks[b].starts & inside, base, begins);
    ends = write_places<&Token::end>(blocks[b].ends & inside, base, ends);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto {
namespace {

HWY_EXPORT(find_word_blocks_target);
HWY_EXPORT(count_tokens_target);
HWY_EXPORT(write_tokens_target);

AsciiSets ascii_sets() {
  AsciiSets sets;
  for (std::size_t c = 0; c < WordClasses::ascii().size(); ++c) {
    const auto add_to = [&](AsciiSets::Set& set) {
      set[c % 16] |= static_cast<std::uint8_t>(1U << (c / 16));
    };
    const WordClass kind = WordClasses::ascii()[c];
    if (kind == WordClass::letter) add_to(sets.letter);
    if (kind == WordClass::digit) add_to(sets.digit);
    if (kind == WordClass::symbol) add_to(sets.symbol);
    if (kind == WordClass::mid_letter || kind == WordClass::mid_both) add_to(sets.mid_letter);
    if (kind == WordClass::mid_digit || kind == WordClass::mid_both) add_to(sets.mid_digit);
    if (kind == WordClass::clear) add_to(sets.clear);
  }
  return sets;
}

}  // namespace

bool find_word_blocks(std::string_view text, std::vector<WordBlock>& blocks) {
  static const AsciiSets sets = ascii_sets();
  blocks.resize(text.size() / WordBlock::kBytes + 1);
  return HWY_DYNAMIC_DISPATCH(find_word_blocks_target)(reinterpret_cast<const std::uint8_t*>(text.data()),
                                                       text.size(), sets, blocks.data());
}

void append_tokens(const std::vector<WordBlock>& blocks, std::size_t begin, std::size_t end,
                   std::vector<Token>& out) {
  if (begin >= end) return;
  const std::size_t before = out.size();
  const std::size_t count = HWY_DYNAMIC_DISPATCH(count_tokens_target)(blocks.data(), begin, end);
  out.resize(before + count + kSpareTokens);
  HWY_DYNAMIC_DISPATCH(write_tokens_target)(blocks.data(), begin, end, out.data() + before);
  out.resize(before + count);
}

}  // namespace sotto
#endif
