// Blocks against a look at each byte, and the split that follows from them against ICU, on every SIMD target.
#include "text/word_blocks.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <random>
#include <string>

#include "text/icu_words.h"
#include "text/unicode_samples.h"
#include "text/word_classes.h"
#include "text/words.h"

namespace sotto {
namespace {

// Runs `check` with each SIMD target that this machine has.
template <class Check>
void on_every_target(const Check& check) {
  for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    hwy::SetSupportedTargetsForTest(rest & -rest);
    SCOPED_TRACE(hwy::TargetName(rest & -rest));
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
}

WordClass class_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return WordClass::clear;
  const auto byte = static_cast<unsigned char>(text[at]);
  return byte < 0x80 ? WordClasses::ascii()[byte] : WordClass::needs_icu;
}

// The part of a word that the byte is, by its neighbours.
bool is_in_word(std::string_view text, std::size_t at) {
  const WordClass own = class_at(text, at);
  if (own == WordClass::letter || own == WordClass::digit) return true;
  if (at == 0 || class_at(text, at - 1) != class_at(text, at + 1)) return false;
  const WordClass side = class_at(text, at + 1);
  return (side == WordClass::letter && (own == WordClass::mid_letter || own == WordClass::mid_both)) ||
         (side == WordClass::digit && (own == WordClass::mid_digit || own == WordClass::mid_both));
}

std::vector<WordBlock> expected_blocks(std::string_view text) {
  std::vector<WordBlock> blocks(text.size() / 64 + 1);
  const auto is_symbol = [&](std::size_t at) { return class_at(text, at) == WordClass::symbol; };
  for (std::size_t at = 0; at < 64 * blocks.size(); ++at) {
    WordBlock& block = blocks[at / 64];
    const std::uint64_t bit = std::uint64_t{1} << (at % 64);
    const bool follows_word = at > 0 && is_in_word(text, at - 1);
    if (is_symbol(at) || (is_in_word(text, at) && !follows_word)) block.starts |= bit;
    if ((at > 0 && is_symbol(at - 1)) || (follows_word && !is_in_word(text, at))) block.ends |= bit;
    const WordClass own = class_at(text, at);
    if (own == WordClass::connector || own == WordClass::needs_icu) block.hard |= bit;
  }
  return blocks;
}

TEST(WordBlocks, AreWhatEachByteIs) {
  on_every_target([] {
    std::mt19937 random(3);
    for (std::size_t size = 0; size < 400; ++size) {
      std::string text;
      // All bytes; ASCII; letters, digits and what may join them.
      for (std::size_t i = 0; i < size; ++i) {
        const auto byte = random();
        text.push_back(size % 3 == 0   ? static_cast<char>(byte % 256)
                       : size % 3 == 1 ? static_cast<char>(byte % 128)
                                       : "ab12'.,:; $_"[byte % 12]);
      }
      std::vector<WordBlock> blocks(7, {.starts = ~std::uint64_t{0}, .ends = 1, .hard = 1});
      const bool any_hard = find_word_blocks(text, blocks);
      const std::vector<WordBlock> expected = expected_blocks(text);
      ASSERT_EQ(blocks.size(), expected.size());
      bool expected_hard = false;
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        ASSERT_EQ(blocks[b].starts, expected[b].starts) << "block " << b << " of " << size << " bytes";
        ASSERT_EQ(blocks[b].ends, expected[b].ends) << "block " << b << " of " << size << " bytes";
        ASSERT_EQ(blocks[b].hard, expected[b].hard) << "block " << b << " of " << size << " bytes";
        expected_hard |= expected[b].hard != 0;
      }
      ASSERT_EQ(any_hard, expected_hard);
    }
  });
}

void expect_splits_of_icu(const std::string& text, WordBreaker& fast, IcuWords& icu) {
  std::vector<Token> ours = {{1, 2}};  // tokens of another document, which stay
  std::vector<Token> theirs = ours;
  fast.split(text, ours);
  icu.split(text, 0, theirs);
  ASSERT_EQ(ours == theirs, true) << testing::PrintToString(text);
}

TEST(WordBlocks, SplitsAreThoseOfIcuForEveryPairOfAsciiCharactersAtTheEndOfABlock) {
  on_every_target([] {
    WordBreaker fast;
    IcuWords icu;
    for (int a = 0; a < 128; ++a) {
      for (int b = 0; b < 128; ++b) {
        const std::string pair = {static_cast<char>(a), static_cast<char>(b)};
        for (const std::size_t before : {61, 62, 63, 64}) {
          // Letters or digits to the left and right, with a space before them so that ICU has little to
          // split.
          const char side = (a + b) % 3 == 0 ? '1' : 'a';
          const std::string text =
              std::string(before - 1, ' ').append(1, side).append(pair).append(1, side).append(" z");
          expect_splits_of_icu(text, fast, icu);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  });
}

// Words, full stops and apostrophes at every place around the ends of blocks, words longer than a block, and
// traps between them.
TEST(WordBlocks, SplitsAreThoseOfIcuAcrossBlocks) {
  const std::vector<std::string> parts = {"a",
                                          "bc",
                                          "film",
                                          "don't",
                                          "3.14",
                                          "1,000",
                                          "x_y",
                                          ". ",
                                          ", ",
                                          "' ",
                                          " ",
                                          "  ",
                                          "...",
                                          "+",
                                          "<br />",
                                          "\n",
                                          "\u00E9",
                                          "U.S.",
                                          "a.",
                                          ".b",
                                          "e\u0301",
                                          " \u0301",
                                          "\u4E2D\u6587",
                                          std::string(61, 'w'),
                                          std::string(130, 'v')};
  on_every_target([&] {
    std::mt19937_64 random(4);
    WordBreaker fast;
    IcuWords icu;
    for (int i = 0; i < 3000; ++i) {
      std::string text(random() % 4 == 0 ? 60 + random() % 8 : 0, 'z');
      for (std::size_t n = random() % 40; n > 0; --n) text += parts[random() % parts.size()];
      if (i % 5 == 0) text += random_text(random, 20);
      expect_splits_of_icu(text, fast, icu);
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

}  // namespace
}  // namespace sotto
