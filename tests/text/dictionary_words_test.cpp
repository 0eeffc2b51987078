// Han and Kana as WordBreaker splits them against IcuWords, its slow reference: the tokens are the same to
// the byte.
#include "text/dictionary_words.h"

#include <gtest/gtest.h>
#include <unicode/ucharstrie.h>
#include <unicode/udata.h>
#include <unicode/uvernum.h>

#include <random>
#include <string>
#include <vector>

#include "text/icu_words.h"
#include "text/unicode_samples.h"
#include "text/words.h"

namespace sotto {
namespace {

class SameSplits : public testing::Test {
 protected:
  void expect_same(const std::string& text) {
    fast_tokens_.clear();
    icu_tokens_.clear();
    fast_.split(text, fast_tokens_);
    icu_.split(text, 0, icu_tokens_);
    ASSERT_TRUE(fast_tokens_ == icu_tokens_) << testing::PrintToString(text);
  }

  std::mt19937_64 random_{17};

 private:
  WordBreaker fast_;
  IcuWords icu_;
  std::vector<Token> fast_tokens_;
  std::vector<Token> icu_tokens_;
};

// Of ICU's dictionary; none where this ICU keeps it in another form.
std::vector<icu::UnicodeString> dictionary_words() {
  std::vector<icu::UnicodeString> words;
  UErrorCode status = U_ZERO_ERROR;
  UDataMemory* data = udata_open(U_ICUDATA_NAME "-brkitr", "dict", "cjdict", &status);
  if (U_FAILURE(status)) return words;
  const auto* bytes = static_cast<const std::uint8_t*>(udata_getMemory(data));
  const auto place = *reinterpret_cast<const std::int32_t*>(bytes);
  icu::UCharsTrie::Iterator all(reinterpret_cast<const char16_t*>(bytes + place), 0, status);
  while (all.next(status)) words.push_back(all.getString());
  udata_close(data);
  return words;
}

// One of the code points [first, last].
struct Range {
  char32_t first, last;
};
constexpr Range kHan{0x4E00, 0x9FFF};
constexpr Range kHiragana{0x3041, 0x309F};
constexpr Range kKatakana{0x30A1, 0x30FF};

std::string one_of(Range range, std::mt19937_64& random) {
  return to_utf8(range.first + static_cast<char32_t>(random() % (range.last - range.first + 1)));
}

TEST(DictionaryWords, AreUsedWithTheIcuThatTheyImitate) {
  for (const char32_t c : {U'\u4E2D', U'\u3042', U'\u30A2', U'\u30FC', U'\u3005'}) {
    EXPECT_EQ(DictionaryWords::is_known(static_cast<UChar32>(c)), U_ICU_VERSION_MAJOR_NUM == 72);
  }
  // Hangul, half-width Katakana (normalisation changes them), a mark, a letter, a Han radical (a symbol), Han
  // beyond 16 bits.
  for (const char32_t c : {U'\uAC00', U'\uFF71', U'\u3099', U'a', U'\u2E80', U'\U00020000'}) {
    EXPECT_FALSE(DictionaryWords::is_known(static_cast<UChar32>(c)));
  }
}

TEST_F(SameSplits, WordsOfTheDictionaryInARow) {
  const std::vector<icu::UnicodeString> words = dictionary_words();
  if (words.empty()) GTEST_SKIP() << "this ICU has no dictionary in the form that is known";
  ASSERT_GT(words.size(), 200'000U);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (std::size_t i = random_() % 12 + 1; i > 0; --i) words[random_() % words.size()].toUTF8String(text);
    if (round % 2 == 0) text += one_of(kHan, random_);
    expect_same(text);
    if (HasFatalFailure()) return;
  }
}

// The cost of a run of Katakana decides against those of its parts.
TEST_F(SameSplits, KatakanaOfTheDictionaryInARow) {
  std::vector<std::vector<std::string>> by_length(9);
  for (const icu::UnicodeString& word : dictionary_words()) {
    bool is_katakana = word.length() < 9;
    for (std::int32_t i = 0; i < word.length(); ++i)
      is_katakana &= word[i] >= kKatakana.first && word[i] <= kKatakana.last;
    if (is_katakana) word.toUTF8String(by_length[static_cast<std::size_t>(word.length())].emplace_back());
  }
  if (by_length[1].empty()) GTEST_SKIP() << "this ICU has no dictionary in the form that is known";
  for (std::size_t length = 1; length <= 12; ++length) {
    for (int round = 0; round < 4000; ++round) {
      std::string text = round % 2 == 0 ? "" : one_of(kHiragana, random_);
      for (std::size_t rest = length; rest > 0;) {
        const std::size_t next = random_() % std::min<std::size_t>(rest, 8) + 1;
        text += by_length[next][random_() % by_length[next].size()];
        rest -= next;
      }
      expect_same(text);
      if (HasFatalFailure()) return;
    }
  }
}

// Frequent words overlap more often than random ones, and have less far costs.
TEST_F(SameSplits, CommonCharacters) {
  const std::u32string common =
      U"\u7684\u4E00\u662F\u4E0D\u4E86\u5728\u4EBA\u6709\u6211\u4ED6\u8FD9\u4E2A\u4E2D\u5927\u6765\u4E0A"
      U"\u56FD"
      U"\u548C\u5730\u5230\u65E5\u672C\u8A9E\u306E\u306B\u306F\u3092\u305F\u304C\u3067\u3066\u3068\u3057"
      U"\u308C"
      U"\u3055\u30A2\u30A4\u30C8\u30FC\u30F3";
  for (int round = 0; round < 60000; ++round) {
    std::string text;
    for (std::size_t i = random_() % 40; i > 0; --i) text += to_utf8(common[random_() % common.size()]);
    expect_same(text);
    if (HasFatalFailure()) return;
  }
}

// A run of Katakana is a candidate for a word of its own up to some length, and costs by its length.
TEST_F(SameSplits, RunsOfKatakanaOfEveryLength) {
  for (char32_t first = kKatakana.first; first <= kKatakana.last; ++first) {
    for (char32_t second = kKatakana.first; second <= kKatakana.last; ++second) {
      expect_same(to_utf8(first) + to_utf8(second));
      if (HasFatalFailure()) return;
    }
  }
  for (std::size_t length = 1; length <= 45; ++length) {
    for (int round = 0; round < 300; ++round) {
      std::string text = round % 3 == 0 ? "" : one_of(round % 3 == 1 ? kHan : kHiragana, random_);
      for (std::size_t i = 0; i < length; ++i) text += one_of(kKatakana, random_);
      if (round % 2 == 0) text += one_of(kHiragana, random_);
      expect_same(text);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(SameSplits, EveryCodePointBetweenHanAndKana) {
  for (char32_t c = 0; c <= 0x2FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    const std::string self = to_utf8(c);
    for (const auto& [before, after] : {std::pair{"\u4E2D\u6587", "\u4EBA"},
                                        {"\u3042", ""},
                                        {"", "\u3042\u3044"},
                                        {"\u30A2\u30A4", "\u30C8\u30FC"},
                                        {"a \u4E2D", "\u4E2D b"}}) {
      expect_same(std::string(before).append(self).append(after));
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(SameSplits, HanAndKanaAmongEverythingElse) {
  const std::vector<std::string> parts = {"\u4E2D\u6587",
                                          "\u65E5\u672C\u8A9E",
                                          "\u3067\u3059",
                                          "\u30C6\u30B9\u30C8",
                                          "\u30FC",
                                          "\u3001",
                                          "\u3002",
                                          "\uFF0C",
                                          "\uFF0E",
                                          "\uFF1A",
                                          "\u30FB",
                                          "\u3000",
                                          "_",
                                          "\uFF3F",
                                          "a",
                                          "1",
                                          " ",
                                          "'",
                                          ".",
                                          "\u0301",
                                          "\u200D",
                                          "\uAC00\uAC01",
                                          "\u3099",
                                          "\uFF9E",
                                          "\uFF71",
                                          "\U0001F600",
                                          "\U00020000",
                                          "\u300C",
                                          "\u2E80",
                                          "\u00E9",
                                          "\n",
                                          "$"};
  for (int round = 0; round < 100000; ++round) {
    std::string text;
    for (std::size_t i = random_() % 14; i > 0; --i) text += parts[random_() % parts.size()];
    if (round % 10 == 0) text += random_text(random_, 10);
    expect_same(text);
    if (HasFatalFailure()) return;
  }
}

// Letters, digits and what joins them come in wide forms too, and further scripts lie among Han and Kana.
TEST_F(SameSplits, CodePointsOfEastAsiaInAnyOrder) {
  constexpr Range kRanges[] = {{0x2E80, 0x312F}, {0x3000, 0x303F}, {0x30F0, 0x31FF}, {0xA000, 0xABFF},
                               {0xA960, 0xA97F}, {0xD7A0, 0xD7FF}, {0xF900, 0xFDFF}, {0xFE00, 0xFE6F},
                               {0xFF00, 0xFFEF}, {0x20, 0x7E},     {0x4E00, 0x4E2D}, {0x3042, 0x3044}};
  for (int round = 0; round < 150000; ++round) {
    std::string text;
    for (std::size_t i = random_() % 8; i > 0; --i)
      text += one_of(kRanges[random_() % std::size(kRanges)], random_);
    expect_same(text);
    if (HasFatalFailure()) return;
  }
}

// A document may be one long run.
TEST_F(SameSplits, ALongRun) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += one_of(i % 3 == 0 ? kHiragana : kHan, random_);
  expect_same(text);
}

}  // namespace
}  // namespace sotto
