// Bits of blocks against a look at each byte, and the split that follows from them, on every SIMD target.
#include "text/word_blocks.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <random>

#include "text/icu_words.h"
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

TEST(WordBlocks, AreWhatEachByteIs) {
  std::mt19937 random(3);
  on_every_target([&] {
    for (std::size_t size = 0; size < 200; ++size) {
      std::string text;
      for (std::size_t i = 0; i < size; ++i) text.push_back(static_cast<char>(random() % 256));
      std::vector<WordBlock> blocks(7);
      find_word_blocks(text, blocks);
      ASSERT_EQ(blocks.size(), (size + 63) / 64);
      for (std::size_t at = 0; at < 64 * blocks.size(); ++at) {
        WordClass kind = WordClass::clear;
        if (at < size) {
          const auto byte = static_cast<unsigned char>(text[at]);
          kind = byte < 0x80 ? WordClasses::ascii()[byte] : WordClass::needs_icu;
        }
        const bool is_word = kind == WordClass::letter || kind == WordClass::digit;
        const WordBlock block = blocks[at / 64];
        ASSERT_EQ((block.word >> (at % 64) & 1U) != 0, is_word) << at << " of " << size;
        ASSERT_EQ((block.special >> (at % 64) & 1U) != 0, !is_word && kind != WordClass::clear)
            << at << " of " << size;
      }
    }
  });
}

// Words, full stops and apostrophes at every place around the ends of blocks, and words longer than a block.
TEST(WordBlocks, SplitsAreThoseOfIcuAcrossBlocks) {
  std::mt19937 random(4);
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
                                          "\u00E9",
                                          "U.S.",
                                          "a.",
                                          ".b",
                                          "e\u0301",
                                          "\u4E2D\u6587",
                                          std::string(61, 'w'),
                                          std::string(130, 'v')};
  on_every_target([&] {
    WordBreaker fast;
    IcuWords icu;
    for (int i = 0; i < 3000; ++i) {
      std::string text(random() % 4 == 0 ? 60 + random() % 8 : 0, 'z');
      for (std::size_t n = random() % 40; n > 0; --n) text += parts[random() % parts.size()];
      std::vector<Token> ours;
      std::vector<Token> theirs;
      fast.split(text, ours);
      icu.split(text, 0, theirs);
      ASSERT_EQ(ours, theirs) << text;
    }
  });
}

}  // namespace
}  // namespace sotto
