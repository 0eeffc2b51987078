#include "html/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/infinity.h"
#include "html/drawing.h"

namespace sotto::html {
namespace {

TEST(Escaped, LeavesNoMarkup) {
  EXPECT_EQ(escaped("a<b>&\"c\"'d'"), "a&lt;b&gt;&amp;&quot;c&quot;&#39;d&#39;");
  EXPECT_EQ(escaped("köln 東京"), "köln 東京");
  EXPECT_EQ(escaped(""), "");
  EXPECT_EQ(escaped(test::kHostile).find_first_of("<>\"'"), std::string::npos);
}

TEST(Escaped, ShowsWhatNoPageMayHoldAsReplacements) {
  EXPECT_EQ(escaped("a\tb\r\nc"), "a b  c");
  EXPECT_EQ(escaped(std::string_view("\0x", 2)), "\uFFFDx");
  EXPECT_EQ(escaped("\x1b\x7f\xc2\x85"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(escaped("\xff"), "\uFFFD");
  EXPECT_EQ(escaped("\xef\xbf\xbf"), "\uFFFD");  // U+FFFF: not allowed in XML
  EXPECT_EQ(escaped("\xe2\x80\xae"
                    "evil"),
            "\uFFFDevil");
  EXPECT_EQ(escaped("\xe2\x82"), "\uFFFD");                            // cut in the middle
  EXPECT_EQ(escaped("\xed\xa0\x80").find('\xed'), std::string::npos);  // half of a surrogate pair
}

TEST(Shortened, KeepsTheStart) {
  EXPECT_EQ(shortened("doctor", {.width = 100}), "doctor");
  const std::string cut = shortened(std::string(1000, 'x'), {.width = 100});
  EXPECT_TRUE(cut.ends_with("…"));
  EXPECT_LE(text_width(cut, 12), 100);
  EXPECT_GT(text_width(cut, 12), 80);
  std::string marks = "a";
  for (int i = 0; i < 10000; ++i) marks += "\u0301";
  EXPECT_LT(shortened(marks, {.width = 100}).size(), 200U);
  EXPECT_EQ(shortened("anything", {.width = 0}), "…");
}

TEST(Number, HasSensibleDigits) {
  EXPECT_EQ(number(0), "0");
  EXPECT_EQ(number(-0.0), "0");
  EXPECT_EQ(number(2), "2");
  EXPECT_EQ(number(18.8412), "18.84");
  EXPECT_EQ(number(-0.012345), "-0.01235");
  EXPECT_EQ(number(0.0001), "0.0001");
  EXPECT_EQ(number(1234.5678), "1,235");
  EXPECT_EQ(number(50000), "50,000");
  EXPECT_EQ(number(1.5e12), "1.5e12");
  EXPECT_EQ(number(1.23456e-7), "1.235e-7");
  EXPECT_EQ(number(kInfinity), "infinity");
  EXPECT_EQ(number(-kInfinity), "-infinity");
  EXPECT_EQ(number(std::nan("")), "none");
  EXPECT_EQ(count(1249975000), "1,249,975,000");
  EXPECT_EQ(count(999), "999");
}

TEST(Number, AboveIsNeverBelow) {
  EXPECT_EQ(number_above(2), "2");
  EXPECT_EQ(number_above(1.88412), "1.885");
  EXPECT_EQ(number_above(2.00001), "2.001");
  EXPECT_EQ(number_above(1234.2), "1,235");
  EXPECT_EQ(number_above(kInfinity), "infinity");
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-12, 12);
  for (int i = 0; i < 20000; ++i) {
    const double value = std::pow(10, exponent(random)) * (i % 2 == 0 ? 1 : -1);
    std::string text = number_above(value);
    std::erase(text, ',');
    const double shown = std::strtod(text.c_str(), nullptr);
    ASSERT_GE(shown, value) << text;
    ASSERT_LE(shown - value, 0.0011 * std::abs(value)) << text;
  }
}

TEST(ShortExponent, HasNoZerosBeforeItsDigits) {
  EXPECT_EQ(short_exponent("1.5e-07"), "1.5e-7");
  EXPECT_EQ(short_exponent("-2e+09"), "-2e9");
  EXPECT_EQ(short_exponent("1e+100"), "1e100");
  EXPECT_EQ(short_exponent("3e-10"), "3e-10");
  EXPECT_EQ(short_exponent("3e+00"), "3e0");
}

TEST(Coordinate, HasTwoDecimals) {
  EXPECT_EQ(coordinate(1), "1");
  EXPECT_EQ(coordinate(1.005), "1");
  EXPECT_EQ(coordinate(-0.001), "0");
  EXPECT_EQ(coordinate(123.456), "123.46");
  EXPECT_EQ(coordinate(100), "100");
}

TEST(ShellLine, CanBeTyped) {
  const std::vector<std::string> words = {"sotto", "certify", "--model", "my file", "it's", "", "a=b"};
  EXPECT_EQ(shell_line(words), "sotto certify --model 'my file' 'it'\\''s' '' a=b");
}

}  // namespace
}  // namespace sotto::html
