#include "text/word_classes.h"

#include <unicode/brkiter.h>
#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "text/dictionary_words.h"
#include "text/icu_words.h"

namespace sotto {

namespace {

// From here on Han, Kana and Hangul begin.
constexpr UChar32 kEndOfLow = 0x2E80;
constexpr UChar32 kEndOfTwoBytes = 0x10000;  // in UTF-16
constexpr UChar32 kFirstHangul = 0xAC00;
constexpr UChar32 kLastHangul = 0xD7A3;
// Pictures: emoji, dingbats, cards.
constexpr UChar32 kPictures = 0x1F000;
constexpr UChar32 kEndOfPictures = 0x1FB00;

bool joins(icu::BreakIterator& breaks, UChar32 side, UChar32 middle) {
  const icu::UnicodeString text = icu::UnicodeString(side).append(middle).append(side);
  breaks.setText(text);
  return breaks.next() == text.length();
}

// ICU's rules differ from the property for a few characters, and between versions (the colon): ask the rules.
WordClass mid_class(icu::BreakIterator& breaks, UChar32 c) {
  const bool letters = joins(breaks, 'a', c);
  const bool digits = joins(breaks, '1', c);
  if (letters && digits) return WordClass::mid_both;
  if (letters) return WordClass::mid_letter;
  return digits ? WordClass::mid_digit : WordClass::clear;
}

// Han, Kana and Hangul: ICU's rules for them differ from their word-break properties.
bool needs_other_dictionary(UChar32 c) {
  UErrorCode status = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(c, &status);
  return script == USCRIPT_HAN || script == USCRIPT_HIRAGANA || script == USCRIPT_KATAKANA ||
         (c >= kFirstHangul && c <= kLastHangul);
}

WordClass class_of(icu::BreakIterator& breaks, UChar32 c) {
  const WordKind kind = word_kind(c);
  // ICU 72 and 73 count it as a letter; our tokens never hold it (text/words.h).
  if (c == '@') return WordClass::clear;
  if (u_getIntPropertyValue(c, UCHAR_LINE_BREAK) == U_LB_COMPLEX_CONTEXT) return WordClass::needs_icu;
  if (DictionaryWords::is_known(c)) return WordClass::dictionary;
  if (needs_other_dictionary(c)) return WordClass::needs_icu;
  switch (u_getIntPropertyValue(c, UCHAR_WORD_BREAK)) {
    case U_WB_ALETTER:
      return kind == WordKind::alphanumeric ? WordClass::letter : WordClass::needs_icu;
    case U_WB_NUMERIC:
      return kind == WordKind::alphanumeric ? WordClass::digit : WordClass::needs_icu;
    case U_WB_EXTENDNUMLET:
      return kind == WordKind::clear ? WordClass::connector : WordClass::needs_icu;
    case U_WB_MIDLETTER:
    case U_WB_MIDNUM:
    case U_WB_MIDNUMLET:
    case U_WB_SINGLE_QUOTE:
      return kind == WordKind::clear ? mid_class(breaks, c) : WordClass::needs_icu;
    case U_WB_OTHER:
    case U_WB_DOUBLE_QUOTE:
    case U_WB_CR:
    case U_WB_LF:
    case U_WB_NEWLINE:
    case U_WB_WSEGSPACE:
      return kind == WordKind::clear ? WordClass::clear : WordClass::symbol;
    default:
      return WordClass::needs_icu;
  }
}

std::vector<WordClass> classes(UChar32 begin, UChar32 end) {
  const std::unique_ptr<icu::BreakIterator> breaks = word_iterator();
  std::vector<WordClass> out;
  out.reserve(static_cast<std::size_t>(end - begin));
  for (UChar32 c = begin; c < end; ++c) out.push_back(class_of(*breaks, c));
  return out;
}

}  // namespace

const std::array<WordClass, 128>& WordClasses::ascii() {
  static const auto table = [] {
    std::array<WordClass, 128> out{};
    std::ranges::copy(classes(0, 128), out.begin());
    return out;
  }();
  return table;
}

WordClass WordClasses::of(char32_t c) {
  static const std::vector<WordClass> low = classes(0, kEndOfLow);
  static const std::vector<WordClass> pictures = classes(kPictures, kEndOfPictures);
  if (c < kEndOfLow) return low[c];
  if (c < kEndOfTwoBytes) {
    static const std::vector<WordClass> east_asia = classes(kEndOfLow, kEndOfTwoBytes);
    return east_asia[c - kEndOfLow];
  }
  if (c >= kPictures && c < kEndOfPictures) return pictures[c - kPictures];
  return WordClass::needs_icu;
}

}  // namespace sotto
