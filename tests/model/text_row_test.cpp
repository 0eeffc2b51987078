#include "model/text_row.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace sotto::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ParseValue, RoundsToTheNearestFloat) {
  EXPECT_EQ(parse_value("0.418"), 0.418F);
  EXPECT_EQ(parse_value("-1e-3"), -1e-3F);
  EXPECT_EQ(parse_value("7"), 7.0F);
  // Between two floats by less than a double can tell: through a double it would round down.
  EXPECT_EQ(parse_value("1.000000059604644775390626"), std::nextafter(1.0F, 2.0F));
  EXPECT_EQ(parse_value("1e-60"), 0.0F);
  EXPECT_TRUE(std::isnan(*parse_value("nan")));
  EXPECT_TRUE(std::isinf(*parse_value("-inf")));
}

TEST(ParseValue, IsStrict) {
  for (const char* text : {"", " 1", "1 ", "1,5", "0x10", "1e", "1.5f", "+1", "--1", "1e50", "word", "."}) {
    EXPECT_EQ(parse_value(text), std::nullopt) << text;
  }
}

TEST(TextRow, TakesTheNumbersAtTheEnd) {
  TextRow row;
  row.parse("the 0.5 -1 2e1");
  EXPECT_EQ(row.word, "the");
  EXPECT_THAT(row.vector, ElementsAre(0.5F, -1, 20));
  row.parse(". . . 1 2");
  EXPECT_EQ(row.word, ". . .");
  EXPECT_THAT(row.vector, ElementsAre(1, 2));
  row.parse("2000 1 2 ");
  EXPECT_EQ(row.word, "2000");
  EXPECT_THAT(row.vector, ElementsAre(1, 2));
  row.parse("tab\t1\t2  3 \t");
  EXPECT_EQ(row.word, "tab");
  EXPECT_THAT(row.vector, ElementsAre(1, 2, 3));
  row.parse(" 1 2");
  EXPECT_EQ(row.word, "");
  EXPECT_THAT(row.vector, ElementsAre(1, 2));
  row.parse("no-break\xc2\xa0space 1");
  EXPECT_EQ(row.word, "no-break\xc2\xa0space");
  row.parse("word 1 x 2");
  EXPECT_EQ(row.word, "word 1 x");
  row.parse("12");
  EXPECT_EQ(row.word, "12");
  EXPECT_THAT(row.vector, IsEmpty());
  row.parse("");
  EXPECT_EQ(row.word, "");
}

}  // namespace
}  // namespace sotto::test
