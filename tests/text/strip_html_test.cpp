#include "text/strip_html.h"

#include <gtest/gtest.h>

namespace sotto {
namespace {

std::string stripped(std::string_view text) {
  std::string out = "left over";
  strip_html(text, out);
  return out;
}

TEST(StripHtml, ReplacesTagsByOneSpace) {
  EXPECT_EQ(stripped("good<br /><br />film"), "good  film");
  EXPECT_EQ(stripped("<p class=\"x\">a</p>"), " a ");
  EXPECT_EQ(stripped("a<!-- b > <i>c</i> -->d"), "a d");
  EXPECT_EQ(stripped("<!DOCTYPE html>a</B>"), " a ");
  EXPECT_EQ(stripped("<a title=\"1 > 0\" href='x'>b"), " b");
  EXPECT_EQ(stripped("<p it's fine>b"), " b");
}

TEST(StripHtml, WhatIsNoTagIsText) {
  for (const char* text : {"", "plain", "a < b", "a <", "<", "x <3 y", "<br", "<a href=\"b>", "<>", "</>",
                           "< b>", "<!-- open", "a<b<c", "a & b", "&", "&unknown;", "&amp", "<!"}) {
    EXPECT_EQ(stripped(text), text);
  }
  EXPECT_EQ(stripped("<a <b>c"), "<a  c");
  EXPECT_EQ(stripped("<!-- <b>c"), "<!--  c");
}

TEST(StripHtml, DecodesBasicEntitiesOnce) {
  EXPECT_EQ(stripped("&amp;&lt;&gt;&quot;&#39;&apos;&nbsp;"), "&<>\"''\u00A0");
  EXPECT_EQ(stripped("&lt;b&gt;"), "<b>");
  EXPECT_EQ(stripped("&amp;lt;"), "&lt;");
}

// Quadratic code would need hours for these.
TEST(StripHtml, IsLinearOnHostileInput) {
  for (const std::string_view piece : {"<a ", "<a x=\"", "<!--", "&", "<a b='\"", "<"}) {
    std::string text;
    while (text.size() < 4'000'000) text += piece;
    EXPECT_EQ(stripped(text), text);
  }
}

}  // namespace
}  // namespace sotto
