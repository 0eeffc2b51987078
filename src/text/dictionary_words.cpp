#include "text/dictionary_words.h"

#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/ucharstrie.h>
#include <unicode/udata.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/uvernum.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <utility>

namespace sotto {

namespace {

constexpr bool kIsKnownIcu = U_ICU_VERSION_MAJOR_NUM == 72;

constexpr char16_t kFirst = 0x2E80;  // of the Han radicals; Han and Kana begin here
constexpr std::size_t kLongestWord = 20;
constexpr std::uint32_t kCostOfUnknown = 255;
constexpr std::uint32_t kUnreached = std::numeric_limits<std::uint32_t>::max();

constexpr bool is_katakana(char16_t c) noexcept {
  return (c >= 0x30A1 && c <= 0x30FE && c != 0x30FB) || (c >= 0xFF66 && c <= 0xFF9F);
}

// Of a run of Katakana as one word, by its length. ICU has costs for longer runs too, but no word of its
// dictionary costs more than kCostOfUnknown, so that every division of a longer run is cheaper than the run.
constexpr std::array<std::uint32_t, 9> kKatakanaCosts = {0, 984, 408, 240, 204, 252, 300, 372, 480};
constexpr std::size_t kLongestKatakana = kKatakanaCosts.size() - 1;

// ICU's own dictionary: a trie of words in UTF-16.
class Dictionary {
 public:
  // Null if this ICU has none in the form that is known.
  static const Dictionary* instance() {
    static const std::unique_ptr<const Dictionary> dictionary = open();
    return dictionary.get();
  }

  [[nodiscard]] icu::UCharsTrie words() const { return words_; }

  // The state of `words()` after the first code unit of a word. Finding it takes longest: thousands of code
  // units begin words.
  struct First {
    std::uint64_t state = 0;
    UStringTrieResult result = USTRINGTRIE_NO_MATCH;
  };
  [[nodiscard]] const First& first(char16_t unit) const { return first_[unit - kFirst]; }

 private:
  Dictionary(icu::LocalUDataMemoryPointer data, const char16_t* trie)
      : data_(std::move(data)), words_(trie), first_(0x10000 - kFirst) {
    icu::UCharsTrie words(words_);
    for (std::size_t i = 0; i < first_.size(); ++i) {
      const UStringTrieResult result = words.first(static_cast<UChar32>(kFirst + i));
      first_[i] = {.state = words.getState64(), .result = result};
    }
  }

  static std::unique_ptr<const Dictionary> open() {
    if (!kIsKnownIcu) return nullptr;
    UErrorCode status = U_ZERO_ERROR;
    icu::LocalUDataMemoryPointer data(
        udata_open(U_ICUDATA_NAME U_TREE_SEPARATOR_STRING "brkitr", "dict", "cjdict", &status));
    if (U_FAILURE(status)) return nullptr;
    // The data begin with numbers of 32 bits: the first is the place of the trie in bytes, the fifth has the
    // kind of the trie in its lowest three bits.
    constexpr std::int32_t kTrieOfUnits = 1;
    const auto* numbers = static_cast<const std::int32_t*>(udata_getMemory(data.getAlias()));
    if ((numbers[4] & 7) != kTrieOfUnits) return nullptr;
    const auto* trie =
        reinterpret_cast<const char16_t*>(reinterpret_cast<const std::uint8_t*>(numbers) + numbers[0]);
    return std::unique_ptr<const Dictionary>(new Dictionary(std::move(data), trie));
  }

  icu::LocalUDataMemoryPointer data_;  // holds the trie
  icu::UCharsTrie words_;
  std::vector<First> first_;
};

// Of one code point of three bytes.
char16_t unit_at(std::string_view text, std::size_t at) noexcept {
  const auto bits = [&](std::size_t i, unsigned mask) {
    return static_cast<unsigned char>(text[at + i]) & mask;
  };
  return static_cast<char16_t>(bits(0, 0x0FU) << 12U | bits(1, 0x3FU) << 6U | bits(2, 0x3FU));
}

constexpr std::size_t kBytes = 3;  // of every code point that is known

}  // namespace

bool DictionaryWords::is_known(UChar32 c) {
  if (c < kFirst || c > 0xFFFF || Dictionary::instance() == nullptr) return false;
  UErrorCode status = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(c, &status);
  const std::int32_t breaking = u_getIntPropertyValue(c, UCHAR_WORD_BREAK);
  const bool is_kana = script == USCRIPT_KATAKANA || c == 0x30FC || c == 0xFF70;
  const bool is_read = script == USCRIPT_HAN || script == USCRIPT_HIRAGANA || is_kana;
  // ICU's rules join Katakana by its word-break property. Han is never a letter for them, whatever the
  // property says (of the iteration mark U+3005, for example).
  const bool is_joined =
      is_kana ? breaking == U_WB_KATAKANA : breaking == U_WB_OTHER || breaking == U_WB_ALETTER;
  return is_read && is_joined && (U_GET_GC_MASK(c) & (U_GC_L_MASK | U_GC_N_MASK)) != 0 &&
         u_getIntPropertyValue(c, UCHAR_NFKC_QUICK_CHECK) == UNORM_YES && u_getCombiningClass(c) == 0;
}

void DictionaryWords::find_best(std::string_view run) {
  const std::size_t count = run.size() / kBytes;
  units_.resize(count);
  for (std::size_t i = 0; i < count; ++i) units_[i] = unit_at(run, kBytes * i);
  best_.assign(count + 1, {.cost = kUnreached});
  best_[0].cost = 0;
  const auto offer = [&](std::size_t from, std::size_t to, std::uint32_t cost) {
    const std::uint32_t sum = best_[from].cost + cost;
    if (sum < best_[to].cost) best_[to] = {.cost = sum, .last_word = static_cast<std::uint32_t>(from)};
  };
  const Dictionary& dictionary = *Dictionary::instance();
  icu::UCharsTrie words = dictionary.words();
  for (std::size_t from = 0; from < count; ++from) {
    const Dictionary::First& first = dictionary.first(units_[from]);
    words.resetToState64(first.state);
    UStringTrieResult result = first.result;
    if (USTRINGTRIE_HAS_VALUE(result)) {
      offer(from, from + 1, static_cast<std::uint32_t>(words.getValue()));
    } else {
      offer(from, from + 1, kCostOfUnknown);
    }
    const std::size_t limit = std::min(count, from + kLongestWord);
    for (std::size_t to = from + 1; USTRINGTRIE_HAS_NEXT(result) && to < limit; ++to) {
      result = words.next(units_[to]);
      if (USTRINGTRIE_HAS_VALUE(result)) offer(from, to + 1, static_cast<std::uint32_t>(words.getValue()));
    }
    if (is_katakana(units_[from]) && (from == 0 || !is_katakana(units_[from - 1]))) {
      std::size_t end = from + 1;
      while (end < count && end - from <= kLongestKatakana && is_katakana(units_[end])) ++end;
      if (end - from <= kLongestKatakana) offer(from, end, kKatakanaCosts[end - from]);
    }
  }
}

void DictionaryWords::split(std::string_view run, std::uint32_t offset, std::vector<Token>& out) {
  // One huge run must not hold its memory for the life of the thread.
  constexpr std::size_t kKept = std::size_t{1} << 16;
  if (best_.capacity() > kKept) best_ = {};
  if (units_.capacity() > kKept) units_ = {};
  find_best(run);
  const std::size_t before = out.size();
  for (std::size_t end = best_.size() - 1; end > 0; end = best_[end].last_word) {
    out.push_back({offset + static_cast<std::uint32_t>(kBytes * best_[end].last_word),
                   offset + static_cast<std::uint32_t>(kBytes * end)});
  }
  std::reverse(out.begin() + static_cast<std::ptrdiff_t>(before), out.end());
}

}  // namespace sotto
