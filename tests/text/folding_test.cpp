#include "text/folding.h"

#include <gtest/gtest.h>
#include <unicode/normalizer2.h>
#include <unicode/unistr.h>

#include <array>
#include <random>

#include "text/unicode_samples.h"
#include "text/words.h"

namespace sotto {
namespace {

std::string fold_by_icu(std::string_view word) {
  UErrorCode status = U_ZERO_ERROR;
  const auto* nfc = icu::Normalizer2::getNFCInstance(status);
  auto text =
      icu::UnicodeString::fromUTF8(icu::StringPiece(word.data(), static_cast<std::int32_t>(word.size())));
  text = nfc->normalize(nfc->normalize(text, status).foldCase(), status);
  for (const char16_t curly : {u'\u2018', u'\u2019', u'\u02BC'})
    text.findAndReplace(icu::UnicodeString(curly), "'");
  std::string result;
  return text.toUTF8String(result);
}

TEST(Fold, EqualsTheSlowPathOnAsciiAndOnEveryCodePoint) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    const std::string word = "Q" + to_utf8(c) + "'";
    ASSERT_EQ(fold(word), fold_by_icu(word)) << std::uint32_t{c};
  }
  for (char a = 0; a < 127; ++a) {
    const std::string word = {a, 'B', a};
    EXPECT_EQ(fold(word), fold_by_icu(word));
  }
}

TEST(Fold, Examples) {
  EXPECT_EQ(fold("STRASSE"), "strasse");
  EXPECT_EQ(fold("Stra\u00DFe"), "strasse");
  EXPECT_EQ(fold("CAFE\u0301"), "caf\u00E9");
  EXPECT_EQ(fold("Don\u2019t"), "don't");
  EXPECT_EQ(fold("\u2018\u2019\u02BC\u2019"), "''''");
  EXPECT_EQ(fold(""), "");
}

// A stored word is found again by the token it makes: folding it once more must change nothing.
TEST(Fold, IsIdempotentOnWhatIsImported) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    if (const auto word = importable_word("a" + to_utf8(c))) {
      ASSERT_EQ(fold(*word), *word) << std::uint32_t{c};
    }
  }
}

// fold_simple() of `word`, or "ICU" where it leaves the word to fold().
std::string simple_of(std::string_view word) {
  std::array<char, 128> buffer;
  const auto size = fold_simple(word, buffer);
  return size ? std::string(buffer.data(), *size) : "ICU";
}

TEST(FoldSimple, EqualsFoldOnEveryPairWithAMarkOrALetter) {
  // Neighbours that would combine with the code point if it were not simple, before and after it.
  for (const std::string_view neighbour : {"A", "\u0301", "\u0323", "\u00C9", "\u1100", "\u1161", "\u3099"}) {
    for (char32_t c = 0; c <= 0x10FFFF; ++c) {
      if (c >= 0xD800 && c <= 0xDFFF) continue;
      for (const std::string& word :
           {std::string(neighbour) + to_utf8(c), to_utf8(c) + std::string(neighbour)}) {
        const std::string simple = simple_of(word);
        if (simple == "ICU") continue;
        ASSERT_EQ(simple, fold(word)) << std::uint32_t{c};
      }
    }
  }
}

TEST(FoldSimple, EqualsFoldOnRandomWords) {
  std::mt19937_64 random(21);
  const std::array<char32_t, 6> ends = {0x80, 0x250, 0x590, 0x3000, 0x10000, 0x110000};
  std::size_t simple_words = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string word;
    const char32_t end = ends[random() % ends.size()];
    for (std::size_t length = 1 + random() % 8; length > 0; --length) {
      const auto c = static_cast<char32_t>(random() % end);
      if (c < 0xD800 || c > 0xDFFF) word += to_utf8(c);
    }
    const std::string simple = simple_of(word);
    if (simple == "ICU") continue;
    ++simple_words;
    ASSERT_EQ(simple, fold(word));
  }
  EXPECT_GT(simple_words, 50'000U);  // else this test says nothing
}

TEST(FoldSimple, FoldsWhatTextsHoldAndLeavesTheRestToIcu) {
  EXPECT_EQ(simple_of("Hello"), "hello");
  EXPECT_EQ(simple_of("CAF\u00C9"), "caf\u00E9");
  EXPECT_EQ(simple_of("\u0414\u041E\u041C"), "\u0434\u043E\u043C");
  EXPECT_EQ(simple_of("Don\u2019t"), "don't");
  EXPECT_EQ(simple_of("\u4E2D\u6587"), "\u4E2D\u6587");
  EXPECT_EQ(simple_of("\U0001F600"), "\U0001F600");
  EXPECT_EQ(simple_of("\u023A"), "\u2C65");  // two bytes become three
  EXPECT_EQ(simple_of("stra\u00DFe"), "ICU");
  EXPECT_EQ(simple_of("cafe\u0301"), "ICU");
  EXPECT_EQ(simple_of("\uFB01x"), "ICU");
  EXPECT_EQ(simple_of(std::string(65, 'a')), "ICU");  // more than half of the buffer
  EXPECT_EQ(simple_of(""), "");
}

}  // namespace
}  // namespace sotto
