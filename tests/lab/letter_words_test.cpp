#include "lab/letter_words.h"

#include <gtest/gtest.h>

namespace sotto::lab {
namespace {

TEST(LetterWords, DropsTagsAddressesAndEverythingElse) {
  EXPECT_EQ(letter_words("It's <br />good: 7/10 http://t.co/x9 #fire\nnow", 0), "It s good fire now");
  EXPECT_EQ(letter_words("one two three", 2), "one two");
  EXPECT_EQ(letter_words("a < b", 0), "a b");
  EXPECT_EQ(letter_words("", 5), "");
}

}  // namespace
}  // namespace sotto::lab
