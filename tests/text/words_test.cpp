#include "text/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unicode/uchar.h>

#include <random>

#include "text/unicode_samples.h"

namespace sotto {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> words_of(std::string_view text) {
  WordBreaker breaker;
  std::vector<Token> tokens;
  breaker.split(text, tokens);
  std::vector<std::string> words;
  words.reserve(tokens.size());
  for (const Token token : tokens) words.emplace_back(text.substr(token.begin, token.end - token.begin));
  return words;
}

// Empty if the tokens keep the contract on `text`, else what is wrong.
std::string fault_of(std::string_view text, const std::vector<Token>& tokens) {
  std::uint32_t previous = 0;
  for (const Token token : tokens) {
    if (token.begin < previous || token.begin >= token.end || token.end > text.size()) return "bad range";
    previous = token.end;
  }
  std::size_t next = 0;  // the token at or after the code point
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    const char32_t c = read_utf8(text, at);
    while (next < tokens.size() && tokens[next].end <= start) ++next;
    const bool is_inside = next < tokens.size() && tokens[next].begin <= start;
    if (is_inside && at > tokens[next].end) return "a token ends inside a code point";
    if (!is_inside && next < tokens.size() && at > tokens[next].begin)
      return "a token begins inside a code point";
    if (!is_inside && !may_stay_clear(c)) return "in clear: " + std::to_string(std::uint32_t{c});
    const bool is_end = is_inside && (start == tokens[next].begin || at == tokens[next].end);
    if (is_end && may_stay_clear(c)) return "clear at a token's end: " + std::to_string(std::uint32_t{c});
  }
  return "";
}

TEST(Words, SplitsByUnicodeWordBoundaries) {
  EXPECT_THAT(words_of("Don't panic, it's 3.14!"), ElementsAre("Don't", "panic", "it's", "3.14"));
  EXPECT_THAT(words_of("bob@example.com"), ElementsAre("bob", "example.com"));
  EXPECT_THAT(words_of("@bob @@ a@b@ 1@2 @"), ElementsAre("bob", "a", "b", "1", "2"));
  EXPECT_THAT(words_of("https://a.b/c?d=e"), ElementsAre("https", "a.b", "c", "d", "=", "e"));
  EXPECT_THAT(words_of("well-known"), ElementsAre("well", "known"));
  EXPECT_THAT(words_of("__init__ a_b _"), ElementsAre("init", "a_b"));
  EXPECT_THAT(words_of("na\u00EFve \u0434\u043E\u043C"), ElementsAre("na\u00EFve", "\u0434\u043E\u043C"));
  EXPECT_THAT(words_of(" \t\r\n.,;:!?()[]{}'\"-_\u00A0\u2014\u3002\u0085"), IsEmpty());
  EXPECT_THAT(words_of(""), IsEmpty());
}

TEST(Words, SymbolsAreTokens) {
  EXPECT_THAT(words_of("$100"), ElementsAre("$", "100"));
  EXPECT_THAT(words_of("a<b>+=|~^`c"), ElementsAre("a", "<", "b", ">", "+", "=", "|", "~", "^", "`", "c"));
  EXPECT_THAT(words_of("\U0001F468\u200D\U0001F469\u200D\U0001F467!"),
              ElementsAre("\U0001F468\u200D\U0001F469\u200D\U0001F467"));
  EXPECT_THAT(words_of(std::string_view("a\0b\x01", 4)), ElementsAre("a", std::string(1, '\0'), "b", "\x01"));
}

TEST(Words, WhatAttachesToSpaceOrPunctuationDoesNotHide) {
  EXPECT_THAT(words_of(" \u00AD"), ElementsAre("\u00AD"));
  EXPECT_THAT(words_of("x \u0301y"), ElementsAre("x", "\u0301", "y"));
  EXPECT_THAT(words_of("#\uFE0F\u20E3"), ElementsAre("\uFE0F\u20E3"));
  EXPECT_THAT(words_of(".\u200D."), ElementsAre("\u200D"));
  EXPECT_THAT(words_of("_\u0301_\u0301_"), ElementsAre("\u0301", "\u0301"));
  EXPECT_THAT(words_of("@\u0301@"), ElementsAre("\u0301"));
  EXPECT_THAT(words_of("a\u200Bb"), ElementsAre("a", "\u200B", "b"));
  EXPECT_THAT(words_of("\uFEFFa"), ElementsAre("\uFEFF", "a"));
  EXPECT_THAT(words_of("\uE000"), ElementsAre("\uE000"));
}

// ctest runs each test in a process of its own: the first text is the first one that ICU sees.
TEST(Words, TokensDoNotDependOnEarlierTexts) {
  const std::string mark = "a \u30FC\u3042 b\u30FC \u30FC\u0E01";
  const std::vector<std::string> first = words_of(mark);
  (void)words_of(
      "\u3042\u3044\u3046 \u4E2D\u6587 \u30A2\u30A4 \u0E01\u0E02\u0E03 \u0E81\u0E82 \u1780\u1781 "
      "\u1000\u1001");
  EXPECT_EQ(words_of(mark), first);
}

TEST(Words, AppendsAndCanBeReused) {
  WordBreaker breaker;
  std::vector<Token> tokens;
  breaker.split("a b", tokens);
  breaker.split("c", tokens);
  ASSERT_EQ(tokens.size(), 3U);
  EXPECT_EQ(tokens[2].begin, 0U);
  EXPECT_EQ(tokens[1].begin, 2U);
}

TEST(Words, RefusesBadUtf8WithoutQuotingIt) {
  for (const std::string bad : {"canary \xFF", "canary \xC3", "\xED\xA0\x80 canary", "\xC0\x80",
                                "\xF4\x90\x80\x80", "canary \xE2\x82"}) {
    WordBreaker breaker;
    std::vector<Token> tokens;
    try {
      breaker.split(bad, tokens);
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_data);
      EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr("canary")));
    }
    EXPECT_THAT(tokens, IsEmpty());
    breaker.split("fine", tokens);  // still usable
    EXPECT_EQ(tokens.size(), 1U);
  }
}

// Every code point: alone, between letters, after and before a space, after punctuation.
TEST(Words, NoCodePointIsEverLeftInClear) {
  WordBreaker breaker;
  std::vector<Token> tokens;
  std::string text;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    const std::string self = to_utf8(c);
    for (const auto& [before, after] : {std::pair{"", ""}, {"a", "b"}, {" ", " ."}, {"x. _", "_"}}) {
      text.assign(before).append(self).append(after);
      tokens.clear();
      breaker.split(text, tokens);
      const std::string fault = fault_of(text, tokens);
      ASSERT_TRUE(fault.empty()) << fault << ", code point " << std::uint32_t{c} << " between '" << before
                                 << "' and '" << after << "'";
    }
  }
}

TEST(Words, RandomStringsKeepTheContract) {
  std::mt19937_64 random(8);
  WordBreaker breaker;
  std::vector<Token> tokens;
  for (int round = 0; round < 20000; ++round) {
    const std::string text = random_text(random, 40);
    tokens.clear();
    breaker.split(text, tokens);
    const std::string fault = fault_of(text, tokens);
    ASSERT_TRUE(fault.empty()) << fault << " in round " << round;
  }
}

TEST(Words, LongRunsWithoutSpaces) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "\u0E01\u4E2D\u3042";  // dictionary scripts
  WordBreaker breaker;
  std::vector<Token> tokens;
  breaker.split(text, tokens);
  EXPECT_EQ(fault_of(text, tokens), "");
}

TEST(ImportableWord, OnlyWhatTheTokeniserReturnsWhole) {
  EXPECT_EQ(importable_word("Hello"), "hello");
  EXPECT_EQ(importable_word("don\u2019t"), "don't");
  EXPECT_EQ(importable_word("3.14"), "3.14");
  EXPECT_EQ(importable_word("$"), "$");
  EXPECT_EQ(importable_word("a_b"), "a_b");
  for (const char* word : {"", ",", "--", "new york", "well-known", "_a", "a.", "'s", "\xFF", "$5", " a"}) {
    EXPECT_EQ(importable_word(word), std::nullopt) << word;
  }
}

}  // namespace
}  // namespace sotto
