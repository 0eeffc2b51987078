// WordBreaker against IcuWords, its slow reference: the tokens are the same to the byte.
#include <gtest/gtest.h>
#include <unicode/brkiter.h>
#include <unicode/utext.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <random>

#include "sotto/byte_stream.h"
#include "text/icu_words.h"
#include "text/unicode_samples.h"
#include "text/words.h"

namespace sotto {
namespace {

class Both {
 public:
  // True if both split `text` alike. Failures name the code points, so that a test can print them.
  bool agree(std::string_view text) {
    fast_tokens_.clear();
    icu_tokens_.clear();
    fast_.split(text, fast_tokens_);
    icu_.split(text, 0, icu_tokens_);
    return fast_tokens_ == icu_tokens_;
  }

 private:
  WordBreaker fast_;
  IcuWords icu_;
  std::vector<Token> fast_tokens_;
  std::vector<Token> icu_tokens_;
};

std::string code_points(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) out += std::to_string(std::uint32_t{read_utf8(text, at)}) + " ";
  return out;
}

std::string contents(const std::filesystem::path& path) {
  const auto source = open_source(path);
  std::string out;
  std::string buffer(1 << 16, '\0');
  for (std::size_t count = 1; count > 0;) {
    count = source->read(buffer.data(), buffer.size());
    out.append(buffer, 0, count);
  }
  return out;
}

// What ICU says of the same text as UTF-8.
std::vector<std::int32_t> segments_of_utf8(icu::BreakIterator& breaks, std::string_view text) {
  UErrorCode status = U_ZERO_ERROR;
  UText view = UTEXT_INITIALIZER;
  utext_openUTF8(&view, text.data(), static_cast<std::int64_t>(text.size()), &status);
  breaks.setText(&view, status);
  std::vector<std::int32_t> ends;
  for (auto end = breaks.next(); end != icu::BreakIterator::DONE; end = breaks.next()) ends.push_back(end);
  utext_close(&view);
  EXPECT_TRUE(U_SUCCESS(status));
  return ends;
}

TEST(IcuWords, SegmentsOfUtf16AreThoseOfUtf8) {
  std::mt19937_64 random(13);
  IcuWords words;
  const std::unique_ptr<icu::BreakIterator> breaks = word_iterator();
  const auto expect_same = [&](const std::string& text) {
    const auto found = words.segments(text);
    ASSERT_EQ(std::vector(found.begin(), found.end()), segments_of_utf8(*breaks, text)) << code_points(text);
  };
  for (int round = 0; round < 30000; ++round) expect_same(random_text(random, 40));
  // Han, Kana, Hangul, Thai and characters beyond 16 bits, which ICU splits by dictionaries.
  constexpr std::array<std::pair<char32_t, char32_t>, 8> kRanges = {{{0x4E00, 0x4F00},
                                                                     {0x3040, 0x3100},
                                                                     {0x3000, 0x3020},
                                                                     {0xAC00, 0xAD00},
                                                                     {0x0E00, 0x0E60},
                                                                     {0xFF60, 0xFFA0},
                                                                     {0x20000, 0x20100},
                                                                     {0x1F600, 0x1F640}}};
  for (int round = 0; round < 30000; ++round) {
    std::string text;
    for (std::size_t i = 0; i < 30; ++i) {
      const auto [first, end] = kRanges[random() % 3 == 0 ? random() % kRanges.size() : random() % 2];
      text += to_utf8(first + static_cast<char32_t>(random() % (end - first)));
    }
    expect_same(text);
  }
  expect_same("");
}

TEST(FastWords, EqualIcuOnEveryCodePoint) {
  Both both;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    const std::string self = to_utf8(c);
    for (const auto& [before, after] : {std::pair{"", ""},
                                        {"a", "b"},
                                        {"1", "2"},
                                        {"a'", "'b"},
                                        {"x ", " y"},
                                        {"_", "_ 1"},
                                        {"\u00E9.", ".\u0434 z"}}) {
      const std::string text = std::string(before).append(self).append(after);
      ASSERT_TRUE(both.agree(text)) << code_points(text);
    }
  }
}

TEST(FastWords, EqualIcuOnEveryPairOfAsciiCharacters) {
  Both both;
  for (int a = 0; a < 128; ++a) {
    for (int b = 0; b < 128; ++b) {
      const std::string pair = {static_cast<char>(a), static_cast<char>(b)};
      for (const auto& [before, after] :
           {std::pair{"", ""}, {"a", "a"}, {"1", "1"}, {"a ", "1"}, {"1_", "a"}}) {
        const std::string text = std::string(before).append(pair).append(after);
        ASSERT_TRUE(both.agree(text)) << code_points(text);
      }
    }
  }
}

// One or two of each class: every rule of UAX 29 looks at four code points at most, but for runs of marks and
// flags.
TEST(FastWords, EqualIcuOnEveryTextOfFiveClasses) {
  const std::vector<std::string> samples = {"a",      "1",      "_",      "'",      ".",      ",",
                                            ":",      " ",      "\n",     "$",      "@",      "\"",
                                            "\u00E9", "\u2019", "\u0301", "\u200D", "\u4E2D", "\u05D0"};
  Both both;
  std::size_t count = 1;
  for (int i = 0; i < 5; ++i) count *= samples.size();
  for (std::size_t number = 0; number < count;
       number += 7) {  // 7 has no factor of 18: every text of four occurs
    std::string text;
    for (std::size_t rest = number, i = 0; i < 5; ++i, rest /= samples.size())
      text += samples[rest % samples.size()];
    ASSERT_TRUE(both.agree(text)) << code_points(text);
  }
}

TEST(FastWords, EqualIcuOnRandomText) {
  std::mt19937_64 random(11);
  Both both;
  for (int round = 0; round < 100000; ++round) {
    const std::string text = random_text(random, 40);
    ASSERT_TRUE(both.agree(text)) << "round " << round << ": " << code_points(text);
  }
}

// Words and spaces with a rare trap: the stretches that ICU splits lie between stretches that it does not.
TEST(FastWords, EqualIcuOnPlainTextWithRareTraps) {
  std::mt19937_64 random(12);
  Both both;
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (int i = 0; i < 20; ++i) {
      static const std::vector<std::string> kParts = {"the",  " ",   "  ",   "don't",     "3.14",
                                                      ", ",   "\n",  "\r\n", "caf\u00E9", "\u2014",
                                                      "U.S.", "a_b", "\t",   "$5"};
      text += random() % 12 == 0 ? random_text(random, 3) : kParts[random() % kParts.size()];
    }
    ASSERT_TRUE(both.agree(text)) << "round " << round << ": " << code_points(text);
  }
}

TEST(FastWords, EqualIcuOnRealFiles) {
  const std::filesystem::path root = SOTTO_SOURCE_DIR;
  std::vector<std::filesystem::path> files = {root / "README.md", root / "CHANGELOG.md",
                                              root / "docs/specification.md"};
  const auto shared = root / "../shared";
  if (std::filesystem::exists(shared)) {
    for (const char* name : {"mechanisms.md", "papers/tem-2023.txt", "data/disaster_tweets/train.csv.gz"}) {
      files.push_back(shared / name);
    }
  } else {
    std::puts("../shared is absent: only the project's own files are split");
  }
  Both both;
  for (const auto& path : files) {
    const std::string text = contents(path);
    EXPECT_TRUE(both.agree(text)) << path.filename();
  }
}

}  // namespace
}  // namespace sotto
