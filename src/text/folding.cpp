// Folding by tables. A code point is simple if NFC leaves it as it is whatever stands beside it (quick check
// yes, combining class 0: UAX 15), and if it folds to one code point of the same kind. A word of simple code
// points is folded code point by code point: the quick check says that it is in NFC before and after. ICU
// folds every other word.
#include "text/folding.h"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <vector>

#include "text/icu_words.h"

namespace sotto {
namespace {

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string nfc(const std::string& text) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* normaliser = icu::Normalizer2::getNFCInstance(status);
  check_icu(status, "load its normalisation data");
  std::string result;
  icu::StringByteSink<std::string> sink(&result, static_cast<std::int32_t>(text.size()));
  normaliser->normalizeUTF8(0, text, sink, nullptr, status);
  check_icu(status, "normalise a word");
  return result;
}

std::string case_fold(const std::string& text) {
  UErrorCode status = U_ZERO_ERROR;
  std::string result;
  icu::StringByteSink<std::string> sink(&result, static_cast<std::int32_t>(text.size()));
  icu::CaseMap::utf8Fold(U_FOLD_CASE_DEFAULT, text, sink, nullptr, status);
  check_icu(status, "fold the case of a word");
  return result;
}

constexpr bool is_curly_apostrophe(UChar32 c) noexcept {
  return c == 0x2018 || c == 0x2019 || c == 0x02BC;
}

void straighten_apostrophes(std::string& text) {
  // The three code points of is_curly_apostrophe() as UTF-8.
  for (const std::string_view curly : {"\xE2\x80\x98", "\xE2\x80\x99", "\xCA\xBC"}) {
    for (auto at = text.find(curly); at != std::string::npos; at = text.find(curly, at + 1)) {
      text.replace(at, curly.size(), 1, '\'');
    }
  }
}

bool stays_in_nfc(UChar32 c) {
  return u_getIntPropertyValue(c, UCHAR_NFC_QUICK_CHECK) == UNORM_YES && u_getCombiningClass(c) == 0;
}

constexpr UChar32 kNotSimple = -1;

UChar32 compute_simple_fold(UChar32 c) {
  if (!stays_in_nfc(c)) return kNotSimple;
  if (is_curly_apostrophe(c)) return '\'';
  icu::UnicodeString folded(c);
  folded.foldCase(U_FOLD_CASE_DEFAULT);
  const UChar32 first = folded.char32At(0);
  return folded.countChar32() == 1 && stays_in_nfc(first) ? first : kNotSimple;
}

// kNotSimple for code points that are not simple.
UChar32 simple_fold(UChar32 c) {
  // Latin, Greek, Cyrillic and the other scripts with two cases that texts use. Beyond it, where a table
  // would cost more than it saves, only code points without case are simple.
  constexpr UChar32 kEndOfTable = 0x2E80;
  static const std::vector<UChar32> table = [] {
    std::vector<UChar32> out;
    out.reserve(kEndOfTable);
    for (UChar32 i = 0; i < kEndOfTable; ++i) out.push_back(compute_simple_fold(i));
    return out;
  }();
  if (c < kEndOfTable) return table[static_cast<std::size_t>(c)];
  return u_hasBinaryProperty(c, UCHAR_CHANGES_WHEN_CASEFOLDED) == 0 && stays_in_nfc(c) ? c : kNotSimple;
}

}  // namespace

std::string fold(std::string_view word) {
  std::string result(word);
  if (is_ascii(word)) {
    std::transform(result.begin(), result.end(), result.begin(), fold_ascii);
    return result;
  }
  result = nfc(case_fold(nfc(result)));
  straighten_apostrophes(result);
  return result;
}

std::optional<std::size_t> fold_simple(std::string_view word, std::span<char> out) {
  // A code point of one byte folds to one byte, any other one to at most four.
  if (out.size() / 2 < word.size()) return std::nullopt;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(word.data());
  auto* folded = reinterpret_cast<std::uint8_t*>(out.data());
  std::size_t size = 0;
  for (std::size_t at = 0; at < word.size();) {
    if (bytes[at] < 0x80) {
      out[size++] = fold_ascii(word[at++]);
      continue;
    }
    UChar32 c = 0;
    U8_NEXT_UNSAFE(bytes, at, c);
    const UChar32 simple = simple_fold(c);
    if (simple == kNotSimple) return std::nullopt;
    U8_APPEND_UNSAFE(folded, size, simple);
  }
  return size;
}

}  // namespace sotto
